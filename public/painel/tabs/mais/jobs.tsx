import { serviceNow } from "../../../service-clock.ts";
import { Answered, Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { ago, instant } from "../../format.ts";
import { isInvalid, type Job, jobTitle, stateOf } from "../../jobs.ts";
import type { Freshness } from "../../reports.ts";

/** A file holds an instant as a date, and an invalid instant as text. */
const instantCell = (at: string | null) => (at === null || isInvalid(at) ? at : new Date(at));
const orNone = (at: string | null) => (at === null ? "nenhuma" : instant(at));

const jobColumns = (elapsed: number): Column<Job>[] => [
  { title: "Rotina", value: jobTitle },
  {
    title: "Situação",
    value: (job) => stateOf(job, elapsed).label,
    cell: (job) => {
      const { level, label } = stateOf(job, elapsed);
      return <span class={`state ${level}`}>{label}</span>;
    },
    isMain: true,
  },
  {
    title: "Último sucesso",
    value: ({ ultimo_sucesso }) => instantCell(ultimo_sucesso),
    cell: ({ ultimo_sucesso: at, atraso_segundos: seconds }) => (
      <>
        {orNone(at)}
        {seconds !== null && !isInvalid(at) && <span class="more"> {ago(seconds + elapsed)}</span>}
      </>
    ),
  },
  {
    title: "Última falha",
    value: ({ ultima_falha }) => instantCell(ultima_falha),
    cell: ({ ultima_falha }) => orNone(ultima_falha),
  },
];

/** The jobs that fill the warehouse, and when each unit's products were read. */
export const JobsPart = () => {
  const { unitName } = usePanel();
  const answer = useAnswer<Freshness>("/v1/frescor");
  const elapsed = (serviceNow() - answer.at) / 1000;
  const catalogue: Column<Freshness["catalogo"][number]>[] = [
    { title: "Unidade", value: ({ estabelecimento_id: id }) => unitName(id) },
    {
      title: "Última sincronização",
      value: ({ synced_at }) => instantCell(synced_at),
      cell: ({ synced_at }) => instant(synced_at),
      isMain: true,
    },
  ];
  return (
    <Answered answer={answer}>
      {({ data, catalogo }) => (
        <>
          <Card title="Rotinas que atualizam os dados">
            <DataTable
              caption="Rotinas que atualizam os dados"
              file="rotinas"
              columns={jobColumns(elapsed)}
              rows={data}
              keyOf={({ job_name }) => job_name}
              empty="Nenhuma rotina cadastrada."
            />
            <p class="more">
              Cada rotina roda uma vez por hora. Depois de duas horas sem sucesso, está atrasada.
            </p>
          </Card>
          <Card title="Catálogo de produtos por unidade">
            <DataTable
              caption="Catálogo de produtos por unidade"
              file="catalogo-de-produtos"
              columns={catalogue}
              rows={catalogo}
              keyOf={({ estabelecimento_id }) => estabelecimento_id}
              empty="Nenhuma unidade com produtos cadastrados."
            />
          </Card>
        </>
      )}
    </Answered>
  );
};
