import { Answered, Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { SplitBar } from "../../components/split-bar.tsx";
import { amountColumn, countColumn } from "../../components/value-columns.tsx";
import { useAnswer } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { counted, date, number, share } from "../../format.ts";
import { isInvalid } from "../../jobs.ts";
import { rangeOf } from "../../ranges.ts";
import { type Report, reportPath, rowsPath } from "../../reports.ts";
import type { View } from "../../view.ts";
import { periodName } from "../../wording.ts";
import { OF_SALONS } from "../../words.ts";
import { clientName, type OfClient } from "./client-name.ts";
import { CutNote, cutOf } from "./cut-note.tsx";

type Counts = { clientes: number; clientes_novos: number };
type Measures = Counts & { visitas: number; valor_total: number; primeira_visita: string | null };
type Body = Report<OfClient, Measures>;
type Row = Body["data"][number];

const Split = ({ clientes, clientes_novos: newClients }: Counts) => (
  <>
    <p class="figure">{number(clientes)}</p>
    <SplitBar
      parts={[
        { name: "Novos", value: newClients, text: number(newClients) },
        { name: "Já eram clientes", value: clientes - newClients, text: number(clientes - newClients) },
      ]}
    />
    <p class="more">Novos: o primeiro atendimento de todos foi neste período.</p>
  </>
);

const title = (view: View) => `Clientes · ${periodName(view)}`;

/** A store has no visits, so it counts no clients. */
const hasNone = ({ clientes }: Counts, { unit }: View) => unit !== "" && clientes === 0;

const NoClients = ({ view }: { view: View }) => (
  <Card title={title(view)}>
    <p class="nothing">Nenhum atendimento com cliente neste período.</p>
    <p class="more">{OF_SALONS}</p>
  </Card>
);

/** The counts only, for a reader without the right to personal data. */
export const ClientsCard = ({ view }: { view: View }) => {
  const path = reportPath("visitas", { ...rangeOf(view), medidas: "clientes,clientes_novos" });
  const answer = useAnswer<Report<object, Counts>>(path, ["data", "totais"]);
  return (
    <Answered answer={answer}>
      {({ totais }) =>
        hasNone(totais, view) ? (
          <NoClients view={view} />
        ) : (
          <Card title={title(view)}>
            <Split {...totais} />
          </Card>
        )
      }
    </Answered>
  );
};

const COLUMNS: Column<Row>[] = [
  { title: "Cliente", value: clientName },
  { ...countColumn("Atendimentos", ({ visitas }) => visitas), isMain: true },
  amountColumn("Valor", ({ valor_total }) => valor_total),
  {
    title: "Primeiro atendimento",
    value: ({ primeira_visita: at }) => (at === null || isInvalid(at) ? at : new Date(at)),
    cell: ({ primeira_visita: at }) => (at === null ? "—" : date(at)),
  },
];

const ReturnText = ({ rows, all }: { rows: readonly Row[]; all: number }) => {
  if (all === 0) return <p>Nenhum cliente novo neste período.</p>;
  // The service sends the new clients first. If it left some out, how many returned is not known.
  if (rows.length < all) return null;
  const returned = rows.filter(({ visitas }) => visitas > 1).length;
  return (
    <p>
      <strong>{counted(returned, "cliente novo voltou", "clientes novos voltaram")}</strong> no próprio
      período: {share(returned, all)} de {number(all)}.
    </p>
  );
};

/** The new ones, who came most often first. */
const newRows = (rows: readonly Row[]) =>
  rows.filter(({ clientes_novos }) => clientes_novos > 0).toSorted((a, b) => b.visitas - a.visitas);

/** New and returning clients, and which of the new ones came again. */
export const NewClientsCard = ({ view }: { view: View }) => {
  const path = rowsPath("visitas", {
    ...rangeOf(view),
    por: "cliente",
    medidas: "clientes,clientes_novos,visitas,valor_total,primeira_visita",
    ordem: "-clientes_novos",
  });
  const answer = useAnswer<Body>(path, ["data", "totais"]);
  return (
    <Answered answer={answer}>
      {(body) => {
        const { data, totais } = body;
        if (hasNone(totais, view)) return <NoClients view={view} />;
        const rows = newRows(data);
        const isCut = rows.length < totais.clientes_novos;
        return (
          <Card title={title(view)}>
            <Split {...totais} />
            <ReturnText rows={rows} all={totais.clientes_novos} />
            <CutNote shown={rows.length} all={totais.clientes_novos} of="clientes novos" isRanked={false} />
            {rows.length > 0 && (
              <DataTable
                caption="Clientes novos"
                file={periodFileName("clientes-novos", view)}
                columns={COLUMNS}
                rows={rows}
                cut={isCut ? cutOf(path, body, newRows) : undefined}
                keyOf={({ cliente_salon_id: id }) => String(id)}
                shown={5}
                isSortable
                empty=""
              />
            )}
          </Card>
        );
      }}
    </Answered>
  );
};
