import { Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { Link } from "../../components/links.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { money, number } from "../../format.ts";
import { placeSearch } from "../../place.ts";
import type { Revenue } from "../../reports.ts";
import type { View } from "../../view.ts";
import { periodName } from "../../wording.ts";
import { sparklines } from "./course.ts";
import { type CourseReport, changeText, percentChange, type RevenueReport, type UnitRow } from "./revenue.ts";

/** A store has neither visits nor services: its row leaves them blank. */
const isStore = ({ visitas, valor_servicos, anterior }: UnitRow) =>
  visitas + valor_servicos === 0 &&
  (anterior === undefined || anterior.visitas + anterior.valor_servicos === 0);

/** A column of amounts, with its total. */
const amount = (title: string, totals: Revenue | undefined, key: "valor_servicos" | "valor_produtos") => ({
  title,
  value: (row: UnitRow) => row[key],
  cell: (row: UnitRow) => (key === "valor_servicos" && isStore(row) ? null : money(row[key])),
  total: totals?.[key] ?? null,
  totalText: money(totals?.[key] ?? 0),
  isNumber: true,
});

/** The change and the earlier value; no columns if nothing is compared. */
const comparedColumns = ({ valor_total, anterior }: RevenueReport["totais"]): Column<UnitRow>[] =>
  anterior === undefined
    ? []
    : [
        {
          title: "Variação (%)",
          value: (row) => percentChange(row.valor_total, row.anterior?.valor_total),
          cell: (row) => <Delta now={row.valor_total} before={row.anterior?.valor_total} />,
          total: percentChange(valor_total, anterior.valor_total),
          totalText: changeText(valor_total, anterior.valor_total),
          isNumber: true,
          isMain: true,
        },
        {
          title: "Antes",
          value: (row) => row.anterior?.valor_total ?? 0,
          cell: (row) => money(row.anterior?.valor_total ?? 0),
          total: anterior.valor_total,
          totalText: money(anterior.valor_total),
          isNumber: true,
        },
      ];

const columnsOf = (
  { totais }: RevenueReport,
  nameOf: (row: UnitRow) => string,
  nameCell: NonNullable<Column<UnitRow>["cell"]>,
): Column<UnitRow>[] => [
  { title: "Unidade", value: nameOf, cell: nameCell },
  {
    title: "Faturamento",
    value: (row) => row.valor_total,
    cell: (row) => money(row.valor_total),
    total: totais.valor_total,
    totalText: money(totais.valor_total),
    isNumber: true,
    isMain: true,
  },
  ...comparedColumns(totais),
  amount("Serviços", totais, "valor_servicos"),
  amount("Produtos", totais, "valor_produtos"),
  {
    title: "Atendimentos",
    value: (row) => row.visitas,
    cell: (row) => (isStore(row) ? null : number(row.visitas)),
    total: totais.visitas,
    totalText: number(totais.visitas),
    isNumber: true,
  },
  {
    title: "Ticket médio",
    value: (row) => row.ticket_medio,
    cell: (row) => (isStore(row) ? null : row.ticket_medio === null ? "—" : money(row.ticket_medio)),
    total: totais.ticket_medio,
    totalText: totais.ticket_medio === null ? "—" : money(totais.ticket_medio),
    isNumber: true,
  },
];

interface UnitsTableProps {
  report: RevenueReport;
  course: CourseReport | undefined;
  view: View;
}

/** All units, with the totals of all. Each leads to its own page. */
export const UnitsTable = ({ report, course, view }: UnitsTableProps) => {
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
        columns={columnsOf(report, ({ estabelecimento_id: id }) => unitName(id), nameCell)}
        rows={report.data}
        keyOf={({ estabelecimento_id: id }) => id}
        isSortable
        empty="Nenhuma venda neste período."
      />
    </Card>
  );
};
