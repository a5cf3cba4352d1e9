import { Card } from "../../components/card.tsx";
import { ClosingNote } from "../../components/closing.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { RowName } from "../../components/links.tsx";
import {
  amountColumn,
  changeColumns,
  countColumn,
  hadEnough,
  percent,
} from "../../components/value-columns.tsx";
import { usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { share } from "../../format.ts";
import { goalOfAll, type UnitGoal } from "../../pace.ts";
import { periodName } from "../../period-names.ts";
import { placeSearch } from "../../place.ts";
import type { View } from "../../view.ts";
import type { RevenueReport, UnitRow } from "./revenue.ts";

/** A store has neither visits nor services: its row leaves them blank. */
const isStore = ({ visitas, valor_servicos, anterior }: UnitRow) =>
  visitas + valor_servicos === 0 &&
  (anterior === undefined || anterior.visitas + anterior.valor_servicos === 0);

const ofSalon = (column: Column<UnitRow>): Column<UnitRow> => ({
  ...column,
  cell: (row) => (isStore(row) ? null : column.cell?.(row)),
});

/** How much of its goal each unit has, in a month with goals. A unit without one is no part of the total (B1). */
const goalColumns = (goals: readonly UnitGoal[]): Column<UnitRow>[] => {
  const all = goalOfAll(goals);
  if (all === undefined) return [];
  const known = new Map(goals.map((goal) => [goal.id, goal]));
  const of = ({ estabelecimento_id: id }: UnitRow) => known.get(id);
  const paceColumn = amountColumn("No ritmo", (row: UnitRow) => of(row)?.pace ?? null, all.pace);
  return [
    { ...amountColumn("Meta", (row) => of(row)?.goal ?? null, all.goal), isHidden: true },
    ...(all.pace === undefined ? [] : [{ ...paceColumn, isHidden: true }]),
    {
      title: "Meta (%)",
      value: (row) => percent(row.valor_total, of(row)?.goal ?? 0),
      cell: (row) => share(row.valor_total, of(row)?.goal ?? 0),
      total: percent(all.done, all.goal),
      totalCell: share(all.done, all.goal),
      isNumber: true,
    },
  ];
};

const columnsOf = (
  { totais }: RevenueReport,
  goals: readonly UnitGoal[],
  nameOf: (row: UnitRow) => string,
  nameCell: NonNullable<Column<UnitRow>["cell"]>,
): Column<UnitRow>[] => [
  { title: "Unidade", value: nameOf, cell: nameCell },
  { ...amountColumn("Faturamento", (row) => row.valor_total, totais.valor_total), isMain: true },
  ...changeColumns<"valor_total", UnitRow>("valor_total", totais, { mayLead: hadEnough }),
  ...goalColumns(goals),
  ofSalon(amountColumn("Serviços", (row) => row.valor_servicos, totais.valor_servicos)),
  amountColumn("Produtos", (row) => row.valor_produtos, totais.valor_produtos),
  ofSalon(countColumn("Atendimentos", (row) => row.visitas, totais.visitas)),
  ofSalon(amountColumn("Ticket médio", (row) => row.ticket_medio, totais.ticket_medio)),
];

interface UnitsTableProps {
  report: RevenueReport;
  goals: readonly UnitGoal[];
  view: View;
}

/** All units, with the totals of all. Each leads to its own page. */
export const UnitsTable = ({ report, goals, view }: UnitsTableProps) => {
  const { unitName } = usePanel();
  const nameCell = ({ estabelecimento_id: id }: UnitRow) => (
    <RowName to={placeSearch({ ...view, unit: id }, "unidades")} name={unitName(id)} />
  );
  const title = `Unidades · ${periodName(view)}`;
  return (
    <Card title={title} actions={<CompareSelect view={view} earlier={report.anterior} />}>
      <ClosingNote view={view} />
      <DataTable
        caption={title}
        file={periodFileName("unidades", view)}
        columns={columnsOf(report, goals, ({ estabelecimento_id: id }) => unitName(id), nameCell)}
        rows={report.data.toSorted((a, b) => b.valor_total - a.valor_total)}
        keyOf={({ estabelecimento_id: id }) => id}
        order="maior faturamento"
        empty="Nenhuma venda neste período."
      />
    </Card>
  );
};
