// The tables of the report on paper: every row, and the totals.
import { Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { amountColumn, countColumn, valueColumns } from "../../components/value-columns.tsx";
import { usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { namesIn, type Places, ranked } from "../../people.ts";
import type { PanelBody } from "../../reports.ts";
import { sumOf } from "../../series.ts";
import { nameOr } from "../../units.ts";
import type { View } from "../../view.ts";
import { keyOf, type TeamReport, type TeamRow, teamPath } from "../equipe/report.ts";
import { FeesNote, FeesOf } from "../financeiro/fees-note.tsx";
import { CutNote, cutOf } from "./cut-note.tsx";

type UnitRow = PanelBody["faturamento_por_unidade"]["data"][number];
type FormRow = PanelBody["visitas_por_forma_pagamento"]["data"][number];

export const UnitsCard = ({ body, view }: { body: PanelBody; view: View }) => {
  const { unitName } = usePanel();
  const { data, totais } = body.faturamento_por_unidade;
  const rows = data.toSorted((a, b) => b.valor_total - a.valor_total);
  const columns: Column<UnitRow>[] = [
    { title: "Unidade", value: (row) => unitName(row.estabelecimento_id) },
    ...valueColumns("Faturamento", totais),
    countColumn("Atendimentos", (row) => row.visitas, totais.visitas),
    amountColumn("Ticket médio", (row) => row.ticket_medio, totais.ticket_medio),
  ];
  return (
    <Card title="Todas as unidades">
      <DataTable
        caption="Faturamento por unidade"
        file={periodFileName("unidades", view)}
        columns={columns}
        rows={rows}
        keyOf={(row) => row.estabelecimento_id}
        empty="Nenhuma venda neste período."
      />
    </Card>
  );
};

interface TeamCardProps {
  body: TeamReport;
  places: Pick<Places, "data">;
  view: View;
}

export const TeamCard = ({ body, places, view }: TeamCardProps) => {
  const { unitName } = usePanel();
  const { data, totais, linhas } = body;
  const namesOf = namesIn(places, unitName);
  const columns: Column<TeamRow>[] = [
    { title: "Profissional", value: (row) => namesOf(row).name },
    {
      title: "Unidades",
      value: (row) => namesOf(row).units.join(", "),
    },
    ...valueColumns("Produção", totais),
    countColumn("Serviços", (row) => row.servicos, totais.servicos),
  ];
  return (
    <Card title="Toda a equipe">
      <CutNote shown={data.length} all={linhas} of="profissionais" />
      <DataTable
        caption="Produção por profissional"
        file={periodFileName("equipe", view)}
        columns={columns}
        rows={ranked(data)}
        keyOf={keyOf}
        cut={cutOf(teamPath(view), body, ranked)}
        shown={10}
        empty="Nenhum serviço neste período."
      />
      <p class="more">Os serviços que cada profissional fez, pelo valor de cada serviço.</p>
    </Card>
  );
};

export const FeesCard = ({ body, view }: { body: PanelBody; view: View }) => {
  const { data, totais } = body.visitas_por_forma_pagamento;
  const columns: Column<FormRow>[] = [
    { title: "Forma de pagamento", value: (row) => nameOr(row.forma_pagamento, "Não informada") },
    { ...amountColumn("Taxas", (row) => row.taxas, totais.taxas), isMain: true },
    countColumn(
      "Atendimentos",
      (row) => row.visitas,
      data.reduce((sum, { visitas }) => sum + visitas, 0),
    ),
    amountColumn(
      "Valor",
      (row) => row.valor_total,
      sumOf(data, (row) => row.valor_total),
    ),
  ];
  return (
    <Card title="Taxas por forma de pagamento">
      <FeesOf />
      <FeesNote rows={data} total={totais.taxas} />
      <DataTable
        caption="Taxas por forma de pagamento"
        file={periodFileName("taxas", view)}
        columns={columns}
        rows={data}
        keyOf={({ forma_pagamento }) => JSON.stringify(forma_pagamento)}
        empty="Nenhum atendimento neste período."
      />
    </Card>
  );
};
