import { serviceNow } from "../../../service-clock.ts";
import { REFRESH_MS } from "../../answers.ts";
import { Answered, Card } from "../../components/card.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Kpi } from "../../components/kpi.tsx";
import { Link } from "../../components/links.tsx";
import { usePaymentsOf } from "../../components/payments.tsx";
import { amountColumn, countColumn } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { todayFileName } from "../../file-name.ts";
import { counted, date, money, shortDay } from "../../format.ts";
import { type ListName, listSearch } from "../../links.ts";
import { panelPath, rangeOfDays } from "../../ranges.ts";
import type { PanelBody } from "../../reports.ts";
import { sumOf } from "../../series.ts";
import { isDay, type View } from "../../view.ts";
import {
  type Bands,
  bandsPath,
  type DueDays,
  type DueRow,
  dueDaysPath,
  dueRows,
  type Sum,
  sumIn,
} from "./due.ts";

interface OfCentre {
  view: View;
  /** The cost centre of the chosen unit. */
  costCentre: string | undefined;
}

interface DueKpiProps {
  title: string;
  sum: Sum;
  to?: string;
  children?: string;
}

const DueKpi = ({ title, sum, to, children }: DueKpiProps) => {
  const text = sum.count === 0 ? "nenhuma conta" : counted(sum.count, "conta", "contas");
  return (
    <Kpi title={title} value={money(sum.value)}>
      {sum.count === 0 || to === undefined ? (
        text
      ) : (
        <Link to={to} label={`${title}: ver ${text}`}>
          {text}
        </Link>
      )}
      {sum.count > 0 && children}
    </Kpi>
  );
};

const Kpis = ({ bands, view, costCentre }: OfCentre & { bands: Bands }) => {
  const to = (name: ListName) => listSearch(view, { name });
  const overdue = sumIn(bands, ["vencida"], costCentre);
  return (
    <div class="figures">
      <DueKpi title="Vencidos" sum={overdue} to={to("vencidos")}>
        {overdue.oldest === undefined ? "" : ` · desde ${date(overdue.oldest)}`}
      </DueKpi>
      <DueKpi
        title="Vencem em 7 dias"
        sum={sumIn(bands, ["hoje", "7-dias"], costCentre)}
        to={to("vencem-em-7-dias")}
      >
        {" · contando hoje"}
      </DueKpi>
      <DueKpi
        title="Vencem em 30 dias"
        sum={sumIn(bands, ["hoje", "7-dias", "30-dias"], costCentre)}
        to={to("vencem-em-30-dias")}
      >
        {" · com as dos 7 dias"}
      </DueKpi>
      <DueKpi title="Sem data" sum={sumIn(bands, ["sem-data"], costCentre)} />
    </div>
  );
};

const nameOf = ({ day, name = "" }: DueRow) => (day === undefined ? name : shortDay(day));

const DueTable = ({ rows, view }: { rows: readonly DueRow[]; view: View }) => {
  const [count, value] = [rows.reduce((sum, row) => sum + row.count, 0), sumOf(rows, (row) => row.value)];
  return (
    <DataTable
      caption="Pagamentos pendentes por vencimento"
      file={todayFileName("pagamentos-por-vencimento", view)}
      rows={rows}
      keyOf={nameOf}
      shown={40}
      empty="Nenhum pagamento pendente."
      columns={[
        {
          title: "Vencimento",
          value: (row) =>
            row.day !== undefined && isDay(row.day)
              ? new Date(rangeOfDays({ from: row.day, to: row.day }).data_inicio)
              : nameOf(row),
          format: "day",
          cell: (row) => (row.to === undefined ? nameOf(row) : <Link to={row.to}>{nameOf(row)}</Link>),
        },
        {
          title: "Situação",
          value: ({ status }) => status,
          cell: ({ status }) => <span class={status === "Vencido" ? "overdue" : undefined}>{status}</span>,
        },
        countColumn("Contas", (row: DueRow) => row.count, count),
        { ...amountColumn("Valor", (row: DueRow) => row.value, value), isMain: true },
      ]}
    />
  );
};

const Figures = ({ view, costCentre }: OfCentre) => {
  const { answers, centreName } = usePanel();
  const days = useAnswer<DueDays>(dueDaysPath(view, costCentre));
  const { body: inicio, at } = answers.answer<PanelBody>(panelPath(view));
  const known = inicio?.pagamentos ?? undefined;
  // Use the answer of Início until it must be refreshed.
  const own = useAnswer<Bands>(known && serviceNow() - at < REFRESH_MS ? undefined : bandsPath);
  const bands = own.body === undefined && known ? { ...own, body: known, at } : own;
  return (
    <Answered answer={bands}>
      {(body) => (
        <div class="parts">
          <div>
            <h2>Contas a pagar</h2>
            <p class="more">
              Pendentes de todos os períodos ·{" "}
              {costCentre === undefined ? "todos os centros de custo" : centreName(costCentre)}
            </p>
          </div>
          <Kpis bands={body} view={view} costCentre={costCentre} />
          <Card title="Por vencimento">
            <Answered answer={days}>
              {(byDay) => <DueTable rows={dueRows(body, byDay, view, costCentre)} view={view} />}
            </Answered>
          </Card>
        </div>
      )}
    </Answered>
  );
};

/** What is to be paid, and when. */
export const Contas = () => {
  const { view } = usePanel().place;
  const { instead, costCentre } = usePaymentsOf(view.unit);
  return instead ?? <Figures view={view} costCentre={costCentre} />;
};
