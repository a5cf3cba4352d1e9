import { Answered, Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { amountColumn, countColumn } from "../../components/value-columns.tsx";
import { useAnswer } from "../../context.ts";
import { counted, date } from "../../format.ts";
import { isInvalid } from "../../jobs.ts";
import { placeSearch } from "../../place.ts";
import { rangeOfDays } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import { addDays, dayCount, dayOf, type View } from "../../view.ts";
import { clientName, type OfClient } from "./client-name.ts";
import { CutNote, cutOf } from "./cut-note.tsx";

type Measures = { visitas: number; valor_total: number; ultima_visita: string | null };
type Body = Report<OfClient, Measures>;
type Row = Body["data"][number];

/** The days without a visit that can be chosen, and the parameter that names them. */
const CHOICES = ["60", "90", "180"] as const;
const PARAMETER = "sem";
/** Only clients who came within so many days are listed. */
const DAYS_BACK = 400;

const chosenDays = () => {
  const given = new URLSearchParams(location.search).get(PARAMETER);
  return CHOICES.find((known) => known === given) ?? "60";
};

const isKnown = (at: string | null): at is string => at !== null && !isInvalid(at);
const daysSince = (at: string, today: string) => dayCount({ from: dayOf(Date.parse(at)), to: today }) - 1;

const columnsOf = ({ visitas, valor_total }: Body["totais"], today: string): Column<Row>[] => [
  { title: "Cliente", value: clientName },
  { title: "Código", value: ({ cliente_salon_id: id }) => id, isHidden: true },
  { ...amountColumn("Valor", (row) => row.valor_total, valor_total), isMain: true },
  countColumn("Atendimentos", (row) => row.visitas, visitas),
  {
    title: "Último atendimento",
    value: ({ ultima_visita: at }) => (isKnown(at) ? new Date(at) : at),
    cell: ({ ultima_visita: at }) => (at === null ? "—" : date(at)),
  },
  {
    title: "Dias sem voltar",
    value: ({ ultima_visita: at }) => (isKnown(at) ? daysSince(at, today) : null),
    isNumber: true,
  },
];

interface AbsentProps {
  path: string;
  body: Body;
  days: string;
  /** The first day without a visit. */
  since: string;
  today: string;
}

const AbsentTable = ({ path, body, days, since, today }: AbsentProps) => (
  <>
    <p>
      <strong>{counted(body.linhas ?? body.data.length, "cliente", "clientes")}</strong> sem atendimento desde{" "}
      {date(since)}, os de maior valor primeiro.
    </p>
    <CutNote shown={body.data.length} all={body.linhas} of="clientes" />
    <DataTable
      caption={`Clientes sem voltar há ${days} dias`}
      file={`clientes-sem-voltar-${days}-dias-${today}`}
      columns={columnsOf(body.totais, today)}
      rows={body.data}
      cut={cutOf(path, body)}
      keyOf={({ cliente_salon_id: id }) => String(id)}
      shown={20}
      isSortable
      empty="Nenhum cliente sem voltar há tanto tempo."
    />
    <p class="more">
      Contam clientes com pelo menos dois atendimentos nos últimos {DAYS_BACK} dias, até hoje, qualquer que
      seja o período escolhido acima.
    </p>
  </>
);

/** Clients who came at least twice, and not since. It is of today, whichever period is chosen. */
export const AbsentCard = ({ view }: { view: View }) => {
  const { today } = view.clock;
  const days = chosenDays();
  const since = addDays(today, 1 - Number(days));
  const path = rowsPath("visitas", {
    ...rangeOfDays({ from: addDays(today, 1 - DAYS_BACK), to: today }, view.unit),
    por: "cliente",
    sem_visita_desde: rangeOfDays({ from: since, to: since }).data_inicio,
    visitas_min: "2",
    medidas: "visitas,valor_total,ultima_visita",
    ordem: "-valor_total",
  });
  const answer = useAnswer<Body>(path, ["data", "totais"]);
  return (
    <Card title="Clientes que não voltaram">
      <Segmented
        label="Dias sem voltar"
        options={CHOICES.map((count) => ({
          label: `${count} dias`,
          to: placeSearch(view, "mais", "clientes", count === "60" ? {} : { [PARAMETER]: count }),
          isCurrent: count === days,
        }))}
      />
      <Answered answer={answer}>
        {(body) => <AbsentTable path={path} body={body} days={days} since={since} today={today} />}
      </Answered>
    </Card>
  );
};
