import { Answered, Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { RowName } from "../../components/links.tsx";
import { amountColumn, countColumn } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { todayFileName } from "../../file-name.ts";
import { counted, date, money, monthName, number } from "../../format.ts";
import { isInvalid } from "../../jobs.ts";
import { clientSearch } from "../../links.ts";
import { placeSearch } from "../../place.ts";
import type { OfUnit } from "../../reports.ts";
import type { View } from "../../view.ts";
import { clientName } from "./client-name.ts";
import {
  daysSince,
  LOST_DAYS,
  type LostByUnit,
  type LostClients,
  lostByUnitPath,
  lostClientsPath,
  REGULAR_MONTHS,
  type Regulars,
  regularsPath,
  twelveMonths,
} from "./client-reports.ts";
import { CutNote, cutOf } from "./cut-note.tsx";

type UnitRow = OfUnit & { clientes: number; valor_total: number; regulars: number };

/** Each unit with regulars, most lost ones first. */
const unitRows = (lost: LostByUnit, all: Regulars): UnitRow[] => {
  const lostIn = new Map(lost.data.map((row) => [row.estabelecimento_id, row]));
  return all.data
    .map(({ estabelecimento_id, unidade_nome, clientes: regulars }) => {
      const { clientes = 0, valor_total = 0 } = lostIn.get(estabelecimento_id) ?? {};
      return { estabelecimento_id, unidade_nome, regulars, clientes, valor_total };
    })
    .sort((a, b) => b.clientes - a.clientes || b.valor_total - a.valor_total);
};

const unitColumns = (
  { totais: lost }: LostByUnit,
  { totais: all }: Regulars,
  view: View,
  unitName: (id: string) => string,
): Column<UnitRow>[] => [
  {
    title: "Unidade",
    value: (row) => unitName(row.estabelecimento_id),
    cell: ({ estabelecimento_id: unit }) => (
      <RowName to={placeSearch({ ...view, unit }, "mais", "assiduos")} name={unitName(unit)} />
    ),
  },
  { ...countColumn("Sumiram", (row) => row.clientes, lost.clientes), isMain: true },
  countColumn("De assíduos", (row) => row.regulars, all.clientes),
  amountColumn("Gastos em 12 meses", (row) => row.valor_total, lost.valor_total),
];

const ByUnit = ({ lost, all, view }: { lost: LostByUnit; all: Regulars; view: View }) => {
  const { unitName } = usePanel();
  const { clientes, valor_total } = lost.totais;
  return (
    <>
      <div>
        <p class="figure">{number(clientes)}</p>
        <p class="more">
          de {counted(all.totais.clientes, "assíduo", "assíduos")} · <strong>{money(valor_total)}</strong>{" "}
          gastos em 12 meses
        </p>
        {view.unit !== "" && (
          <p class="more">
            Só com os atendimentos nesta unidade. Na lista de todas as unidades, contam os de todas, e cada
            cliente está na unidade do último.
          </p>
        )}
      </div>
      {view.unit === "" && (
        <DataTable
          caption="Assíduos que sumiram, por unidade"
          file={todayFileName("assiduos-que-sumiram-por-unidade", view)}
          columns={unitColumns(lost, all, view, unitName)}
          rows={unitRows(lost, all)}
          keyOf={(row) => row.estabelecimento_id}
          empty="Nenhum assíduo sumiu."
        />
      )}
    </>
  );
};

type ClientRow = LostClients["data"][number];

const isKnown = (at: string | null): at is string => at !== null && !isInvalid(at);

const clientColumns = (
  { visitas, valor_total }: LostClients["totais"],
  view: View,
  unitName: (id: string) => string,
): Column<ClientRow>[] => [
  {
    title: "Cliente",
    value: clientName,
    cell: (row) => <RowName to={clientSearch(view, row.cliente_salon_id)} name={clientName(row)} />,
  },
  { title: "Código", value: ({ cliente_salon_id: id }) => id, isHidden: true },
  { ...amountColumn("Valor em 12 meses", (row) => row.valor_total, valor_total), isMain: true },
  {
    title: "Dias sem voltar",
    value: ({ ultima_visita: at }) => (isKnown(at) ? daysSince(at, view.clock.today) : null),
    isNumber: true,
  },
  countColumn("Atendimentos", (row) => row.visitas, visitas),
  { title: "Unidade", value: (row) => unitName(row.estabelecimento_id) },
  {
    title: "Último atendimento",
    value: ({ ultima_visita: at }) => (isKnown(at) ? new Date(at) : at),
    cell: ({ ultima_visita: at }) => (at === null ? "—" : date(at)),
  },
];

const LostList = ({ view }: { view: View }) => {
  const { unitName } = usePanel();
  const path = lostClientsPath(view);
  const answer = useAnswer<LostClients>(path, ["data", "totais"]);
  return (
    <Card title="Os de maior valor" actions={<span class="more">em 12 meses</span>}>
      <Answered answer={answer}>
        {(body) => (
          <>
            <CutNote shown={body.data.length} all={body.linhas} of="clientes" />
            <DataTable
              caption={`Assíduos sem voltar há ${LOST_DAYS} dias`}
              file={todayFileName("assiduos-que-sumiram", view)}
              columns={clientColumns(body.totais, view, unitName)}
              rows={body.data}
              cut={cutOf(path, body)}
              keyOf={({ cliente_salon_id: id }) => String(id)}
              shown={10}
              order="maior valor em 12 meses"
              empty="Nenhum assíduo sumiu."
            />
          </>
        )}
      </Answered>
    </Card>
  );
};

/** Lost regulars by unit and by value. They are of today, whichever period is chosen. */
export const RegularsPart = () => {
  const { view } = usePanel().place;
  const lost = useAnswer<LostByUnit>(lostByUnitPath(view), ["data", "totais"]);
  const all = useAnswer<Regulars>(regularsPath(view), ["data", "totais"]);
  return (
    <>
      <Card
        title="Assíduos que sumiram"
        actions={<span class="more">sem atendimento há {LOST_DAYS} dias</span>}
      >
        <Answered answer={all}>
          {(regulars) => (
            <Answered answer={lost}>{(body) => <ByUnit lost={body} all={regulars} view={view} />}</Answered>
          )}
        </Answered>
      </Card>
      <LostList view={view} />
      <p class="more">
        Assíduos: vieram em {REGULAR_MONTHS} ou mais meses diferentes desde{" "}
        {monthName(twelveMonths(view).from, "")}, até hoje.
      </p>
    </>
  );
};
