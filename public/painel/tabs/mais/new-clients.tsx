import type { ComponentChildren } from "preact";
import { type Answer, isPending } from "../../answers.ts";
import { Answered, Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { RowName } from "../../components/links.tsx";
import { SplitBar } from "../../components/split-bar.tsx";
import { amountColumn, countColumn } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { date, number } from "../../format.ts";
import { isInvalid } from "../../jobs.ts";
import { clientSearch } from "../../links.ts";
import { OF_SALONS } from "../../messages.ts";
import { periodName } from "../../period-names.ts";
import { rangeOf } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import type { View } from "../../view.ts";
import { clientName, type OfClient } from "./client-name.ts";
import {
  type Counts,
  countsPath,
  finishedMonths,
  type MonthCounts,
  monthCountsPath,
  twelveMonths,
} from "./client-reports.ts";
import { CutNote, cutOf } from "./cut-note.tsx";
import { MonthBars } from "./month-bars.tsx";

type Measures = Counts & { visitas: number; valor_total: number; primeira_visita: string | null };
type Body = Report<OfClient, Measures>;
type Row = Body["data"][number];

const Split = ({ clientes, clientes_novos: newClients }: Counts) => (
  <>
    <p class="figure">{number(clientes)}</p>
    <SplitBar
      parts={[
        { name: "Já eram", value: clientes - newClients, text: number(clientes - newClients) },
        { name: "Novos", value: newClients, text: number(newClients) },
      ]}
    />
  </>
);

const NEW_ARE = "Novos: o primeiro atendimento de todos foi no período, ou no mês.";

const title = (view: View) => `Clientes · ${periodName(view)}`;

/** A store has no visits, so it counts no clients. */
const hasNone = ({ clientes }: Counts, { unit }: View) => unit !== "" && clientes === 0;

const NoClients = ({ view }: { view: View }) => (
  <Card title={title(view)}>
    <p class="nothing">Nenhum atendimento com cliente neste período.</p>
    <p class="more">{OF_SALONS}</p>
  </Card>
);

interface CountsProps {
  counts: Counts;
  months: Answer<MonthCounts>;
  view: View;
  children?: ComponentChildren;
}

const CountsCard = ({ counts, months, view, children }: CountsProps) =>
  hasNone(counts, view) ? (
    <NoClients view={view} />
  ) : (
    <Card title={title(view)} isBusy={isPending(months)}>
      <Split {...counts} />
      {months.body && <MonthBars months={months.body} today={view.clock.today} />}
      <p class="more">{NEW_ARE}</p>
      {children}
    </Card>
  );

/** The counts only, for a reader without the right to personal data. */
export const ClientsCard = ({ view }: { view: View }) => {
  const { dataUntil } = usePanel();
  const answer = useAnswer<Report<object, Counts>>(countsPath(view), ["data", "totais"]);
  const months = useAnswer<MonthCounts>(
    dataUntil === undefined ? undefined : monthCountsPath(view, finishedMonths(dataUntil)),
  );
  return (
    <Answered answer={answer}>
      {({ totais }) => <CountsCard counts={totais} months={months} view={view} />}
    </Answered>
  );
};

const columnsOf = (view: View): Column<Row>[] => [
  {
    title: "Cliente",
    value: clientName,
    cell: (row) => <RowName to={clientSearch(view, row.cliente_salon_id)} name={clientName(row)} />,
  },
  { ...countColumn("Atendimentos", ({ visitas }) => visitas), isMain: true },
  amountColumn("Valor", ({ valor_total }) => valor_total),
  {
    title: "Primeiro atendimento",
    value: ({ primeira_visita: at }) => (at === null || isInvalid(at) ? at : new Date(at)),
    cell: ({ primeira_visita: at }) => (at === null ? "—" : date(at)),
  },
];

/** The new ones, who came most often first. */
const newRows = (rows: readonly Row[]) =>
  rows.filter(({ clientes_novos }) => clientes_novos > 0).toSorted((a, b) => b.visitas - a.visitas);

const NewTable = ({ path, body, view }: { path: string; body: Body; view: View }) => {
  const rows = newRows(body.data);
  const { clientes_novos: all } = body.totais;
  if (rows.length === 0) return null;
  return (
    <>
      <CutNote shown={rows.length} all={all} of="clientes novos" isRanked={false} />
      <DataTable
        caption="Clientes novos"
        file={periodFileName("clientes-novos", view)}
        columns={columnsOf(view)}
        rows={rows}
        cut={rows.length < all ? cutOf(path, body, newRows) : undefined}
        keyOf={({ cliente_salon_id: id }) => String(id)}
        shown={5}
        order="mais atendimentos"
        empty=""
      />
    </>
  );
};

/** New and returning clients of the period and by month, and who the new ones are. */
export const NewClientsCard = ({ view }: { view: View }) => {
  const path = rowsPath("visitas", {
    ...rangeOf(view),
    por: "cliente",
    medidas: "clientes,clientes_novos,visitas,valor_total,primeira_visita",
    ordem: "-clientes_novos",
  });
  const answer = useAnswer<Body>(path, ["data", "totais"]);
  const months = useAnswer<MonthCounts>(monthCountsPath(view, twelveMonths(view)));
  return (
    <Answered answer={answer}>
      {(body) => (
        <CountsCard counts={body.totais} months={months} view={view}>
          <NewTable path={path} body={body} view={view} />
        </CountsCard>
      )}
    </Answered>
  );
};
