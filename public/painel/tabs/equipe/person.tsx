import type { Answer } from "../../answers.ts";
import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { Delta } from "../../components/delta.tsx";
import { Headline } from "../../components/headline.tsx";
import { Kpi } from "../../components/kpi.tsx";
import { Legend } from "../../components/legend.tsx";
import { PairBars } from "../../components/pair-bars.tsx";
import { BackTo, ProfileCard } from "../../components/profile.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { average, money, monthName, number } from "../../format.ts";
import { NOT_BEGUN } from "../../messages.ts";
import { namesIn, unitsText } from "../../people.ts";
import { periodName } from "../../period-names.ts";
import { placeSearch } from "../../place.ts";
import type { Report, Services } from "../../reports.ts";
import { isFuture, type View } from "../../view.ts";
import {
  groupedBy,
  type Months,
  monthPoints,
  monthText,
  type PersonReport,
  personMonthsPath,
  personPath,
  type Return,
  returnPath,
  yearTotals,
} from "./person-reports.ts";
import { PersonTables } from "./person-tables.tsx";
import { ReturnCard } from "./return-card.tsx";

interface PersonProps {
  id: string;
  report: PersonReport;
  months: Months | undefined;
  view: View;
}

/** What they are called, and where they worked. Without services in the period, their newest month knows the name. */
const useName = ({ id, report, months }: PersonProps) => {
  const { unitName } = usePanel();
  const known = report.data[0] ?? months?.data.at(-1);
  const { profissional = null } = known ?? {};
  const units = groupedBy(report.data, "estabelecimento_id");
  return namesIn(
    { data: units },
    unitName,
  )({
    profissional,
    profissional_salon_id: id,
    servicos: report.totais.servicos,
  });
};

const Production = (props: PersonProps) => {
  const { report, view } = props;
  const { totais, anterior } = report;
  const { name, units } = useName(props);
  return (
    <ProfileCard name={name} detail={unitsText(units)}>
      <div class="titled">
        <h3>Produção · {periodName(view)}</h3>
        <CompareSelect view={view} earlier={anterior} />
      </div>
      {isFuture(view) ? (
        <p class="nothing">{NOT_BEGUN}</p>
      ) : (
        <Headline now={totais.valor_total} before={totais.anterior?.valor_total} />
      )}
    </ProfileCard>
  );
};

const perService = ({ valor_total, servicos }: Services) => average(valor_total, servicos) ?? null;

const Figures = ({ totais: { anterior: before, ...now } }: PersonReport) => (
  <div class="figures">
    <Kpi title="Serviços" value={number(now.servicos)}>
      {before && <Delta now={now.servicos} before={before.servicos} format={number} />}
    </Kpi>
    <Kpi title="Valor por serviço" value={now.servicos === 0 ? "—" : money(perService(now) ?? 0)}>
      {before && <Delta now={perService(now)} before={perService(before)} format={money} />}
    </Kpi>
  </div>
);

const MonthsCard = ({ months, view }: { months: Months; view: View }) => {
  const { today } = view.clock;
  const points = monthPoints(months, view);
  const year = Number(today.slice(0, 4));
  const running = Number(today.slice(5, 7)) - 1;
  return (
    <Card
      title="Por mês"
      actions={
        <span class="more">
          {year} até hoje {money(yearTotals(months, view).valor_total)}
        </span>
      }
    >
      <PairBars
        title={`Produção por mês de ${year} e ${year - 1}`}
        points={points}
        textOf={(index) => (points[index] ? monthText(points[index], view) : "")}
        running={running}
      />
      <Legend
        keys={{
          "part-0": String(year),
          running: `${monthName(today, today)}, até hoje`,
          before: String(year - 1),
        }}
      />
    </Card>
  );
};

const useReports = (id: string, view: View) => {
  const { personalData } = usePanel().rights;
  return {
    period: useAnswer<PersonReport>(personPath(view, id), ["data", "totais"]),
    months: useAnswer<Months>(personMonthsPath(view, id, personalData), ["data"]),
    everybody: useAnswer<Report<object, Return>>(personalData ? returnPath(view) : undefined, ["totais"]),
  };
};

interface YearProps {
  months: Answer<Months>;
  everybody: Answer<Report<object, Return>>;
  view: View;
}

/** Only readers of personal data see who comes back (R24). */
const ReturnOfYear = ({ months: { body }, everybody, view }: YearProps) => {
  const { personalData } = usePanel().rights;
  if (!personalData || body === undefined) return null;
  return (
    <Answered answer={everybody}>
      {({ totais }) => <ReturnCard own={yearTotals(body, view)} all={totais} view={view} />}
    </Answered>
  );
};

/** A professional: this period's production, whether that is usual, and whether their clients come back. */
export const PersonPage = ({ id, view }: { id: string; view: View }) => {
  const { period, months, everybody } = useReports(id, view);
  return (
    <div class="part">
      <BackTo to={placeSearch(view, "equipe")} label="Equipe" />
      <Answered answer={period}>
        {(report) => (
          <div class="profile">
            <div>
              <Production id={id} report={report} months={months.body} view={view} />
              <h2 class="sr-only">Resumo</h2>
              <Figures {...report} />
              <Answered answer={months}>{(body) => <MonthsCard months={body} view={view} />}</Answered>
            </div>
            <div>
              <ReturnOfYear months={months} everybody={everybody} view={view} />
              <PersonTables report={report} view={view} />
            </div>
          </div>
        )}
      </Answered>
    </div>
  );
};
