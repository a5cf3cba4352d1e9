import { type Answer, isPending } from "../../answers.ts";
import { isNothing as hasNoData } from "../../comparison.ts";
import { BarChart } from "../../components/bar-chart.tsx";
import { Answered, Card } from "../../components/card.tsx";
import { ClosingNote } from "../../components/closing.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { Delta } from "../../components/delta.tsx";
import { Headline } from "../../components/headline.tsx";
import { Kpi } from "../../components/kpi.tsx";
import { Legend } from "../../components/legend.tsx";
import { Link } from "../../components/links.tsx";
import { usePanel } from "../../context.ts";
import { money, number } from "../../format.ts";
import { listSearch } from "../../links.ts";
import { earlierName, periodName } from "../../period-names.ts";
import { placeSearch } from "../../place.ts";
import { weeksBack } from "../../ranges.ts";
import type { EarlierRange } from "../../reports.ts";
import { pointText } from "../../series.ts";
import type { View } from "../../view.ts";
import { unitPoints } from "./course.ts";
import { UnitGoalCard } from "./goals.tsx";
import { reasonsOf } from "./reasons.ts";
import { ReasonsCard } from "./reasons-card.tsx";
import { type RevenueReport, type UnitCourse, useUnit } from "./revenue.ts";
import { StoreParts } from "./store.tsx";

type Totals = RevenueReport["totais"];

const hasVisits = ({ visitas, anterior }: Totals) => visitas > 0 || (anterior?.visitas ?? 0) > 0;
/** A store sells products and has no visits. */
const isStore = (totals: Totals) =>
  !hasVisits(totals) && (totals.valor_produtos !== 0 || (totals.anterior?.valor_produtos ?? 0) !== 0);
const isNothing = ({ data }: RevenueReport) => data.length === 0;

interface SalesProps {
  course: UnitCourse;
  earlier: EarlierRange | undefined;
  /** The days some weeks before, where they are compared. */
  weekdays: UnitCourse | undefined;
  view: View;
}

const Sales = ({ course, earlier, weekdays, view }: SalesProps) => {
  const isCompared = earlier !== undefined && !hasNoData(earlier);
  const points = unitPoints(view, course, earlier, isCompared ? weekdays : undefined);
  if (points.length < 2) return null;
  const weeks = weeksBack(view);
  const before = weeks ? `${weeks} semanas antes` : "antes";
  return (
    <div>
      <BarChart
        title={`Faturamento, ${periodName(view)}`}
        points={points}
        textOf={(index) => pointText(points[index], before)}
      />
      {earlier && points.some((point) => point.earlier !== undefined) && (
        <Legend
          keys={{
            "part-0": periodName(view),
            dash: weeks ? `mesmo dia da semana, ${before}` : earlierName(earlier, view),
          }}
        />
      )}
    </div>
  );
};

/** The records behind the figures. A store has no visits. */
const Lists = ({ totals, view }: { totals: Totals; view: View }) => (
  <div>
    <nav class="lists" aria-label="Registros">
      {hasVisits(totals) && <Link to={listSearch(view, { name: "atendimentos" })}>Ver atendimentos</Link>}
      <Link to={listSearch(view, { name: "vendas" })}>Ver vendas de produtos</Link>
      {hasVisits(totals) && <Link to={placeSearch(view, "equipe")}>Ver equipe</Link>}
    </nav>
    {hasVisits(totals) && (
      <p class="more">
        As listas incluem o que os profissionais retiraram para si. O faturamento não inclui.
      </p>
    )}
  </div>
);

/** A store has none of them. */
const Figures = ({ totals: now }: { totals: Totals }) => {
  const before = now.anterior;
  if (!hasVisits(now)) return null;
  return (
    <div class="figures">
      <h2 class="sr-only">Resumo</h2>
      <Kpi title="Atendimentos" value={number(now.visitas)}>
        {before && <Delta now={now.visitas} before={before.visitas} format={number} />}
      </Kpi>
      <Kpi title="Ticket médio" value={now.ticket_medio === null ? "—" : money(now.ticket_medio)}>
        {before && <Delta now={now.ticket_medio} before={before.ticket_medio} format={money} />}
      </Kpi>
      <Kpi title="Serviços" value={money(now.valor_servicos)}>
        {before && <Delta now={now.valor_servicos} before={before.valor_servicos} format={money} />}
      </Kpi>
      <Kpi title="Produtos" value={money(now.valor_produtos)}>
        {before && <Delta now={now.valor_produtos} before={before.valor_produtos} format={money} />}
      </Kpi>
    </div>
  );
};

interface RevenueProps {
  report: RevenueReport;
  course: Answer<UnitCourse>;
  weekdays: Answer<UnitCourse>;
  view: View;
}

const RevenueCard = ({ report, course, weekdays, view }: RevenueProps) => {
  const { totais, anterior } = report;
  return (
    <Card
      title={`Faturamento · ${periodName(view)}`}
      actions={<CompareSelect view={view} earlier={anterior} />}
      isBusy={isPending(weekdays)}
    >
      <Headline now={totais.valor_total} before={totais.anterior?.valor_total} />
      <ClosingNote view={view} />
      {isNothing(report) ? (
        <p class="nothing">Nenhuma venda neste período.</p>
      ) : (
        <Answered answer={course}>
          {(body) => <Sales course={body} earlier={anterior} weekdays={weekdays.body} view={view} />}
        </Answered>
      )}
      <Lists totals={totais} view={view} />
    </Card>
  );
};

/** One unit: its revenue, why it changed, and its course. */
export const UnitPage = ({ view }: { view: View }) => {
  const { revenue, course, weekdays } = useUnit(view);
  const { rights } = usePanel();
  const all = { ...view, unit: "" };
  return (
    <div class="unidades">
      {rights.units?.length !== 1 && (
        <nav class="lists" aria-label="Unidades">
          <Link to={placeSearch(all, "unidades")} scroll="back">
            Ver todas as unidades
          </Link>
          <Link to={placeSearch(all, "unidades", "comparar", { a: view.unit })}>Comparar com outra</Link>
        </nav>
      )}
      <Answered answer={revenue}>
        {(report) =>
          isStore(report.totais) ? (
            <StoreParts view={view}>
              <RevenueCard report={report} course={course} weekdays={weekdays} view={view} />
              <UnitGoalCard view={view} />
            </StoreParts>
          ) : (
            <div class="unit-page">
              <RevenueCard report={report} course={course} weekdays={weekdays} view={view} />
              <UnitGoalCard view={view} />
              <ReasonsCard
                report={report}
                reasons={reasonsOf(report.totais, report.totais.anterior)}
                view={view}
              />
              <Figures totals={report.totais} />
            </div>
          )
        }
      </Answered>
    </div>
  );
};
