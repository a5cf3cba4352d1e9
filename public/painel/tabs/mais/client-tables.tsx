import { Answered, Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { RowName } from "../../components/links.tsx";
import { productKey, productOf } from "../../components/product-name.tsx";
import { amountColumn, countColumn } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { todayFileName } from "../../file-name.ts";
import { date, number } from "../../format.ts";
import { isInvalid } from "../../jobs.ts";
import { personSearch } from "../../links.ts";
import { professionalName } from "../../messages.ts";
import { AMOUNT, amount } from "../../record-columns.ts";
import type { View } from "../../view.ts";
import {
  type Bought,
  type ByPerson,
  boughtPath,
  type ClientVisit,
  type ClientVisits,
  peopleOf,
  serviceNames,
  servicesOf,
  type Times,
} from "./client-visits.ts";

const visitColumns = (unitName: (id: string) => string): Column<ClientVisit>[] => [
  {
    title: "Data",
    value: ({ data_hora: at }) => (at === null || isInvalid(at) ? at : new Date(at)),
    cell: (row) => (
      <span class="what">
        <span class="name">{row.data_hora === null ? "Sem data" : date(row.data_hora)}</span>
        <span class="more">{serviceNames(row)}</span>
      </span>
    ),
  },
  { title: "Serviços", value: serviceNames, isHidden: true },
  { ...amount<ClientVisit>(AMOUNT, ({ total }) => total), isMain: true },
  { title: "Unidade", value: (row) => unitName(row.estabelecimento_id) },
];

export const VisitsCard = ({ visits, view }: { visits: ClientVisits; view: View }) => {
  const { unitName } = usePanel();
  const { data, pagination } = visits;
  return (
    <Card title="Atendimentos" actions={<span class="more">em 12 meses</span>}>
      {pagination.total > data.length && (
        <p class="more">
          Os {number(data.length)} mais recentes de {number(pagination.total)}.
        </p>
      )}
      <DataTable
        caption="Atendimentos do cliente"
        file={todayFileName("atendimentos-do-cliente", view)}
        columns={visitColumns(unitName)}
        rows={data}
        keyOf={(row) => String(data.indexOf(row))}
        shown={6}
        empty="Nenhum atendimento em 12 meses."
      />
    </Card>
  );
};

const TIMES: Column<Times>[] = [
  { title: "Serviço", value: ({ name }) => name },
  { ...countColumn("Vezes", ({ times }) => times), isMain: true },
];

export const ServicesCard = ({ visits }: { visits: readonly ClientVisit[] }) => (
  <Card title="Serviços" actions={<span class="more">vezes em 12 meses</span>}>
    <DataTable
      caption="Serviços do cliente"
      columns={TIMES}
      rows={servicesOf(visits)}
      keyOf={({ name }) => name}
      shown={5}
      empty="Nenhum serviço em 12 meses."
    />
  </Card>
);

const ORIGINS = { salao: "Salão", loja: "Loja" };

/** The products that a client bought in twelve months. */
export const BoughtTable = ({ view, id }: { view: View; id: string }) => (
  <Answered answer={useAnswer<Bought>(boughtPath(view, id), ["data", "totais"])}>
    {({ data, totais }) => (
      <div>
        <p class="more">
          Em 12 meses. As compras em salões já estão no valor dos atendimentos; as compras em lojas, não.
        </p>
        <DataTable
          caption="Produtos do cliente"
          file={todayFileName("produtos-do-cliente", view)}
          rows={data.filter(({ valor_total, quantidade }) => valor_total !== 0 || quantidade !== 0)}
          keyOf={(row) => productKey(row) + row.origem}
          shown={6}
          empty="Nenhum produto em 12 meses."
          columns={[
            { title: "Produto", value: productOf },
            { title: "Onde", value: ({ origem }) => ORIGINS[origem], isBelow: true },
            {
              ...amountColumn("Valor", (row: Bought["data"][number]) => row.valor_total, totais.valor_total),
              isMain: true,
            },
            countColumn("Quantidade", (row: Bought["data"][number]) => row.quantidade, totais.quantidade),
          ]}
        />
      </div>
    )}
  </Answered>
);

const peopleColumns = (view: View): Column<ByPerson>[] => [
  {
    title: "Profissional",
    value: ({ name }) => name,
    cell: ({ id, name }) => <RowName to={personSearch(view, id)} name={name} />,
  },
  { ...countColumn("Serviços", ({ times }) => times), isMain: true },
];

const fallbackName = (id: string | null) =>
  professionalName({ profissional: null, profissional_salon_id: id });

export const PeopleCard = ({ visits, view }: { visits: readonly ClientVisit[]; view: View }) => (
  <Card title="Com quem" actions={<span class="more">serviços em 12 meses</span>}>
    <DataTable
      caption="Profissionais do cliente"
      columns={peopleColumns(view)}
      rows={peopleOf(visits, fallbackName)}
      keyOf={({ id }) => String(id)}
      shown={5}
      empty="Nenhum serviço em 12 meses."
    />
  </Card>
);
