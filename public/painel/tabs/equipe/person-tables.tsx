import { Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { amountColumn, countColumn, shareColumn } from "../../components/value-columns.tsx";
import { usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { serviceName } from "../../messages.ts";
import { periodName } from "../../period-names.ts";
import type { Services } from "../../reports.ts";
import type { View } from "../../view.ts";
import { type Group, groupedBy, type PersonReport } from "./person-reports.ts";

const serviceColumns = (totals: Services): Column<Group>[] => [
  { title: "Serviço", value: ({ servico }) => serviceName(servico) },
  { ...amountColumn("Valor", (row) => row.valor_total, totals.valor_total), isMain: true },
  countColumn("Quantidade", (row) => row.servicos, totals.servicos),
  shareColumn(totals),
  { ...countColumn<Group>("Cortesias", (row) => row.cortesias, totals.cortesias), isHidden: true },
];

const unitColumns = (totals: Services, unitName: (id: string) => string): Column<Group>[] => [
  { title: "Unidade", value: (row) => unitName(row.estabelecimento_id) },
  { ...amountColumn("Valor", (row) => row.valor_total, totals.valor_total), isMain: true },
  countColumn("Serviços", (row) => row.servicos, totals.servicos),
];

/** What they did in the period, and where. */
export const PersonTables = ({ report: { data, totais }, view }: { report: PersonReport; view: View }) => {
  const { unitName } = usePanel();
  const period = periodName(view);
  const units = groupedBy(data, "estabelecimento_id");
  return (
    <>
      <Card title={`Serviços · ${period}`}>
        <DataTable
          caption="Serviços da pessoa"
          file={periodFileName("servicos-da-pessoa", view)}
          columns={serviceColumns(totais)}
          rows={groupedBy(data, "servico")}
          keyOf={({ servico }) => JSON.stringify(servico)}
          shown={5}
          order="maior produção"
          empty="Nenhum serviço neste período."
        />
      </Card>
      {units.length > 0 && (
        <Card title={`Onde atendeu · ${period}`}>
          <DataTable
            caption="Unidades da pessoa"
            columns={unitColumns(totais, unitName)}
            rows={units}
            keyOf={({ estabelecimento_id: unit }) => unit}
            empty=""
          />
        </Card>
      )}
    </>
  );
};
