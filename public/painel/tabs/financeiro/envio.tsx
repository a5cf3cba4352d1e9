import { Answered, Card } from "../../components/card.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Link } from "../../components/links.tsx";
import { amountColumn, countColumn } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { todayFileName } from "../../file-name.ts";
import { barName } from "../../format.ts";
import { listSearch } from "../../links.ts";
import { useLocation } from "../../navigation.ts";
import { placeSearch } from "../../place.ts";
import { minuteNow, waitingRange } from "../../ranges.ts";
import { type OfUnit, type Report, reportPath, rowsPath } from "../../reports.ts";
import { sumOf } from "../../series.ts";
import { isDay, lastOfMonth, type View } from "../../view.ts";

type Unsent = { pendentes: number; valor_pendente: number };
type Months = Report<{ mes: string }, Unsent>;
type Row = { mes?: string } & Unsent;

const query = ({ unit }: View) => ({
  medidas: "pendentes,valor_pendente",
  estabelecimento_id: unit || undefined,
});
const monthsPath = (view: View) => rowsPath("visitas", { ...query(view), por: "mes" });
/** Also of visits without a date of the calendar, which are in no month. */
const allPath = (view: View) => reportPath("visitas", query(view));

const nameOf = ({ mes }: Row) => (mes === undefined ? "Sem data" : barName({ from: mes, to: "" }, "mes"));

/** The list of a month; undefined beyond the days that the panel shows. */
const listOf = (view: View, { mes }: Row) => {
  const from = mes ?? null;
  if (!isDay(from)) return undefined;
  const to = lastOfMonth(from);
  return isDay(to) ? listSearch(view, { name: "pendentes", from, to }) : undefined;
};

/** Months with something pending, newest first, and what is in none. */
const rowsOf = (months: Months, all: Report<object, Unsent>): Row[] => {
  const rows = months.data.filter(({ pendentes }) => pendentes > 0);
  const undated = {
    pendentes: all.totais.pendentes - months.totais.pendentes,
    valor_pendente: sumOf([all.totais.valor_pendente, -months.totais.valor_pendente], Number),
  };
  return [...rows.toReversed(), ...(undated.pendentes > 0 ? [undated] : [])];
};

const UnsentTable = ({ rows, view }: { rows: readonly Row[]; view: View }) => {
  const count = rows.reduce((sum, { pendentes }) => sum + pendentes, 0);
  const value = sumOf(rows, ({ valor_pendente }) => valor_pendente);
  return (
    <DataTable
      caption="Atendimentos não enviados ao ERP, por mês"
      file={todayFileName("nao-enviados-ao-erp", view)}
      rows={rows}
      keyOf={nameOf}
      shown={24}
      empty="Tudo foi enviado ao ERP."
      columns={[
        {
          title: "Mês",
          value: nameOf,
          cell: (row) => {
            const to = listOf(view, row);
            return to === undefined ? nameOf(row) : <Link to={to}>{nameOf(row)}</Link>;
          },
        },
        countColumn("Atendimentos", (row: Row) => row.pendentes, count),
        { ...amountColumn("Valor", (row: Row) => row.valor_pendente, value), isMain: true },
      ]}
    />
  );
};

type Entries = { lancamentos: number; valor_total: number };
type EntryReport = Report<OfUnit, Entries>;
type EntryRow = EntryReport["data"][number];

/** All of them, also those without a due date, or those that wait for more than a day and not for more than 60. */
const entriesPath = ({ unit }: View, waitingUntil: number | undefined) =>
  rowsPath("lancamentos", {
    ...(waitingUntil !== undefined && { data: "sincronizacao", ...waitingRange(waitingUntil) }),
    sent_to_salon: "false",
    por: "unidade",
    medidas: "lancamentos,valor_total",
    ordem: "-valor_total",
    estabelecimento_id: unit || undefined,
  });

const EntriesTable = ({ body: { data, totais }, view }: { body: EntryReport; view: View }) => {
  const { unitName } = usePanel();
  return (
    <DataTable
      caption="Lançamentos não enviados ao sistema do salão, por unidade"
      file={todayFileName("lancamentos-nao-enviados", view)}
      rows={data}
      keyOf={({ estabelecimento_id: id }) => id}
      empty="Tudo foi enviado ao sistema do salão."
      columns={[
        { title: "Unidade", value: ({ estabelecimento_id: id }) => unitName(id) },
        countColumn("Lançamentos", (row: EntryRow) => row.lancamentos, totais.lancamentos),
        { ...amountColumn("Valor", (row: EntryRow) => row.valor_total, totais.valor_total), isMain: true },
      ]}
    />
  );
};

/** What is not in the salon system yet, by unit: all of it, or what waits until an instant. */
const EntriesCard = ({ view, waitingUntil }: { view: View; waitingUntil?: number | undefined }) => {
  const { unitName, rights } = usePanel();
  const answer = useAnswer<EntryReport>(entriesPath(view, waitingUntil), ["data", "totais"]);
  const all = "de todos os vencimentos";
  return (
    <Card
      title="Não enviados ao sistema do salão, por unidade"
      actions={
        rights.personalData && <Link to={placeSearch(view, "financeiro", "pessoas")}>Ver por pessoa</Link>
      }
    >
      <p class="more">
        {unitName(view.unit)} · comissões e débitos,{" "}
        {waitingUntil === undefined ? all : "há mais de um dia, nos últimos 60 dias"}
      </p>
      <Answered answer={answer}>{(body) => <EntriesTable body={body} view={view} />}</Answered>
    </Card>
  );
};

/** What is not in the ERP yet, by month. */
const VisitsCard = ({ view }: { view: View }) => {
  const { unitName } = usePanel();
  const months = useAnswer<Months>(monthsPath(view));
  const all = useAnswer<Report<object, Unsent>>(allPath(view));
  return (
    <Card
      title="Não enviados ao ERP, por mês"
      actions={<Link to={listSearch(view, { name: "todos-pendentes" })}>Ver todos</Link>}
    >
      <p class="more">{unitName(view.unit)} · de todos os períodos</p>
      <Answered answer={months}>
        {(body) => (
          <Answered answer={all}>
            {(whole) => <UnsentTable rows={rowsOf(body, whole)} view={view} />}
          </Answered>
        )}
      </Answered>
    </Card>
  );
};

/** What is not sent yet, to either system; or the entries of the line on Início. */
export const Envio = () => {
  const { place, dataUntil } = usePanel();
  const { view } = place;
  const isOfLine = new URLSearchParams(useLocation()).get("espera") === "60-dias";
  if (isOfLine)
    return (
      <>
        <nav class="lists" aria-label="Envio">
          <Link to={placeSearch(view, "financeiro", "envio")}>Ver tudo o que não foi enviado</Link>
        </nav>
        <EntriesCard view={view} waitingUntil={dataUntil ?? minuteNow()} />
      </>
    );
  return (
    <>
      <VisitsCard view={view} />
      <EntriesCard view={view} />
    </>
  );
};
