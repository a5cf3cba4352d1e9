import type { Answer } from "../../answers.ts";
import { BarChart } from "../../components/bar-chart.tsx";
import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { Delta } from "../../components/delta.tsx";
import { Headline } from "../../components/headline.tsx";
import { Kpi } from "../../components/kpi.tsx";
import { Link } from "../../components/links.tsx";
import { useWide } from "../../components/wide.ts";
import { usePanel } from "../../context.ts";
import { money, number } from "../../format.ts";
import { listSearch } from "../../links.ts";
import { placeSearch } from "../../place.ts";
import type { EarlierRange } from "../../reports.ts";
import type { View } from "../../view.ts";
import { periodName } from "../../wording.ts";
import { pointText, unitPoints } from "./course.ts";
import { ReasonsCard } from "./reasons-card.tsx";
import { type RevenueReport, type UnitCourse, useUnit } from "./revenue.ts";

type Totals = RevenueReport["totais"];

const hasVisits = ({ visitas, anterior }: Totals) => visitas > 0 || (anterior?.visitas ?? 0) > 0;
const isNothing = ({ data }: RevenueReport) => data.length === 0;

interface SalesProps {
  course: UnitCourse;
  earlier: EarlierRange | undefined;
  view: View;
}

const Sales = ({ course, earlier, view }: SalesProps) => {
  const points = unitPoints(view, course, earlier);
  if (points.length < 2) return null;
  return (
    <div>
      <BarChart
        title={`Faturamento, ${periodName(view)}`}
        points={points}
        textOf={(index) => (points[index] ? pointText(points[index]) : "")}
      />
      {points.some((point) => point.earlier !== undefined) && <p class="more">O traço é o valor de antes.</p>}
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
  view: View;
}

const RevenueCard = ({ report, course, view }: RevenueProps) => {
  const { totais, anterior } = report;
  return (
    <Card
      title={`Faturamento · ${periodName(view)}`}
      actions={<CompareSelect view={view} earlier={anterior} />}
    >
      <Headline now={totais.valor_total} before={totais.anterior?.valor_total} />
      {isNothing(report) ? (
        <p class="nothing">Nenhuma venda neste período.</p>
      ) : (
        <Answered answer={course}>
          {(body) => <Sales course={body} earlier={anterior} view={view} />}
        </Answered>
      )}
      <Lists totals={totais} view={view} />
    </Card>
  );
};

/** One unit: its revenue, why it changed, and its course. */
export const UnitPage = ({ view }: { view: View }) => {
  const { revenue, course } = useUnit(view);
  const { rights } = usePanel();
  const isWide = useWide();
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
        {(report) => (
          <div class="unit-page">
            {isWide && <Figures totals={report.totais} />}
            <RevenueCard report={report} course={course} view={view} />
            <ReasonsCard report={report} view={view} />
            {!isWide && <Figures totals={report.totais} />}
          </div>
        )}
      </Answered>
    </div>
  );
};
