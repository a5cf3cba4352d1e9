// Columns of compared reports.
import type { Column } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { centavos, change, money, oneDecimal, share } from "../../format.ts";

type Valued = { valor_total: number };
type Compared = Valued & { anterior?: Valued };

/** Without its unit in a file: 12.3 for 12.3 %. Null if there is no positive whole. */
const percent = (part: number, whole: number) =>
  whole > 0 ? oneDecimal((100 * centavos(part)) / centavos(whole)) : null;

const changeOf = ({ valor_total, anterior }: Compared) =>
  anterior ? percent(valor_total - anterior.valor_total, anterior.valor_total) : null;

/** The value of a row, its change, what it was before, and its share in all. */
export const valueColumns = <Row extends Compared>(title: string, totals: Compared): Column<Row>[] => [
  {
    title,
    value: (row) => row.valor_total,
    cell: (row) => money(row.valor_total),
    total: totals.valor_total,
    totalText: money(totals.valor_total),
    isNumber: true,
    isMain: true,
  },
  ...(totals.anterior ? changeColumns<Row>(totals, totals.anterior) : []),
  {
    title: "Participação (%)",
    value: (row) => percent(row.valor_total, totals.valor_total),
    cell: (row) => share(row.valor_total, totals.valor_total),
    isNumber: true,
  },
];

const changeColumns = <Row extends Compared>(totals: Compared, before: Valued): Column<Row>[] => [
  {
    title: "Variação (%)",
    value: changeOf,
    cell: (row) => <Delta now={row.valor_total} before={row.anterior?.valor_total} />,
    total: changeOf(totals),
    totalText: change(totals.valor_total, before.valor_total)?.replace("+", "↑ ").replace("-", "↓ ") ?? "—",
    isNumber: true,
    isMain: true,
  },
  {
    title: "Antes",
    value: (row) => row.anterior?.valor_total ?? 0,
    cell: (row) => money(row.anterior?.valor_total ?? 0),
    total: before.valor_total,
    totalText: money(before.valor_total),
    isNumber: true,
  },
];

/** The service sends at most so many rows: the total is of all. */
export const CutNote = ({ shown, all }: { shown: number; all: number | undefined }) =>
  all !== undefined && all > shown ? (
    <p class="more">
      Exibindo as {shown} linhas de maior valor, de {all}. O total é de todas.
    </p>
  ) : null;
