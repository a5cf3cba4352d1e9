import { Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Link } from "../../components/links.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
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
import { placeSearch } from "../../place.ts";
import { sumOf } from "../../series.ts";
import type { View } from "../../view.ts";
import { periodName } from "../../wording.ts";
import { sparklines } from "./course.ts";
import type { CourseReport, Goals, RevenueReport, UnitRow } from "./revenue.ts";

/** A store has neither visits nor services: its row leaves them blank. */
const isStore = ({ visitas, valor_servicos, anterior }: UnitRow) =>
  visitas + valor_servicos === 0 &&
  (anterior === undefined || anterior.visitas + anterior.valor_servicos === 0);

const ofSalon = (column: Column<UnitRow>): Column<UnitRow> => ({
  ...column,
  cell: (row) => (isStore(row) ? null : column.cell?.(row)),
});

/** How much of its goal each unit has, in a month with goals. A unit without one is no part of the total (B1). */
const goalColumns = (goals: Goals["data"], rows: readonly UnitRow[]): Column<UnitRow>[] => {
  const known = new Map(goals.flatMap(({ estabelecimento_id: id, meta }) => (meta ? [[id, meta]] : [])));
  if (known.size === 0) return [];
  const goalOf = ({ estabelecimento_id: id }: UnitRow) => known.get(id) ?? null;
  const all = sumOf([...known.values()], Number);
  const reached = sumOf(
    rows.filter((row) => goalOf(row) !== null),
    (row) => row.valor_total,
  );
  return [
    { ...amountColumn("Meta", goalOf, all), isHidden: true },
    {
      title: "Meta (%)",
      value: (row) => percent(row.valor_total, goalOf(row) ?? 0),
      cell: (row) => share(row.valor_total, goalOf(row) ?? 0),
      total: percent(reached, all),
      totalCell: share(reached, all),
      isNumber: true,
    },
  ];
};

const columnsOf = (
  { data, totais }: RevenueReport,
  goals: Goals["data"],
  nameOf: (row: UnitRow) => string,
  nameCell: NonNullable<Column<UnitRow>["cell"]>,
): Column<UnitRow>[] => [
  { title: "Unidade", value: nameOf, cell: nameCell },
  { ...amountColumn("Faturamento", (row) => row.valor_total, totais.valor_total), isMain: true },
  ...changeColumns<"valor_total", UnitRow>("valor_total", totais, { mayLead: hadEnough }),
  ...goalColumns(goals, data),
  ofSalon(amountColumn("Serviços", (row) => row.valor_servicos, totais.valor_servicos)),
  amountColumn("Produtos", (row) => row.valor_produtos, totais.valor_produtos),
  ofSalon(countColumn("Atendimentos", (row) => row.visitas, totais.visitas)),
  ofSalon(amountColumn("Ticket médio", (row) => row.ticket_medio, totais.ticket_medio)),
];

interface UnitsTableProps {
  report: RevenueReport;
  goals: Goals["data"];
  course: CourseReport | undefined;
  view: View;
}

/** All units, with the totals of all. Each leads to its own page. */
export const UnitsTable = ({ report, goals, course, view }: UnitsTableProps) => {
  const { unitName } = usePanel();
  const lines = sparklines(course);
  const nameCell = ({ estabelecimento_id: id }: UnitRow) => (
    <span class="unit-cell">
      <Link to={placeSearch({ ...view, unit: id }, "unidades")}>{unitName(id)}</Link>
      <Sparkline values={lines.get(id) ?? []} />
    </span>
  );
  const title = `Unidades · ${periodName(view)}`;
  return (
    <Card title={title} actions={<CompareSelect view={view} earlier={report.anterior} />}>
      <DataTable
        caption={title}
        file={periodFileName("unidades", view)}
        columns={columnsOf(report, goals, ({ estabelecimento_id: id }) => unitName(id), nameCell)}
        rows={report.data}
        keyOf={({ estabelecimento_id: id }) => id}
        isSortable
        empty="Nenhuma venda neste período."
      />
    </Card>
  );
};
