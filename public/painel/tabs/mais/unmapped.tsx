import { Answered, Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { RowName } from "../../components/links.tsx";
import { amountColumn, countColumn } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { personSearch } from "../../links.ts";
import { professionalName } from "../../messages.ts";
import { periodName } from "../../period-names.ts";
import { rangeOf } from "../../ranges.ts";
import { reportPath } from "../../reports.ts";
import { nameOr } from "../../units.ts";
import type { View } from "../../view.ts";

type Body = import("../../../../src/api/v1/relatorios/schemas.ts").NaoMapeados;
type Row = Body["profissionais"][number];

const columnsOf = (unitName: (id: string) => string, view: View): Column<Row>[] => [
  {
    title: "Profissional",
    value: professionalName,
    cell: (row) => (
      <RowName to={personSearch(view, row.profissional_salon_id)} name={professionalName(row)} />
    ),
  },
  { title: "Código", value: (row) => row.profissional_salon_id, isHidden: true },
  { ...amountColumn("Valor dos atendimentos", (row) => row.valor_total), isMain: true },
  { title: "Unidade", value: (row) => unitName(row.estabelecimento_id) },
  countColumn("Atendimentos", (row) => row.total_transacoes),
];

/** Whose visits the ERP cannot book: professionals and units without a cost centre. */
export const UnmappedPart = () => {
  const { place, unitName } = usePanel();
  const { view } = place;
  const answer = useAnswer<Body>(reportPath("nao-mapeados", rangeOf(view)), [
    "profissionais",
    "estabelecimentos",
  ]);
  return (
    <Answered answer={answer}>
      {({ profissionais, estabelecimentos }) => {
        const units = estabelecimentos.filter(({ salon_id }) => view.unit === "" || salon_id === view.unit);
        return (
          <>
            <Card title={`Profissionais sem centro de custo · ${periodName(view)}`}>
              <DataTable
                caption="Profissionais sem centro de custo no ERP"
                file={periodFileName("sem-centro-de-custo", view)}
                columns={columnsOf(unitName, view)}
                rows={profissionais}
                keyOf={(row) => JSON.stringify([row.estabelecimento_id, row.profissional_salon_id])}
                shown={30}
                order="maior valor"
                empty="Todos os profissionais do período têm centro de custo."
              />
              <p class="more">
                Valor total dos atendimentos de que o profissional participou. Um atendimento de dois
                profissionais conta para ambos, por isso não há total.
              </p>
            </Card>
            <Card title="Unidades sem centro de custo">
              {units.length === 0 ? (
                <p class="nothing">Todas as unidades ativas têm centro de custo.</p>
              ) : (
                <ul class="plain">
                  {units.map(({ id, nome, salon_id }) => (
                    <li key={id}>{nameOr(nome, `Unidade ${salon_id}`)}</li>
                  ))}
                </ul>
              )}
            </Card>
          </>
        );
      }}
    </Answered>
  );
};
