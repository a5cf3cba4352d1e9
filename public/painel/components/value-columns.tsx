// Columns that several tables have: amounts, counts, what they were before, and their share in all.
import { centavos, isPart, money, number, oneDecimal, partShare, signedMoney } from "../format.ts";
import { LEAST_PAST } from "../reports.ts";
import type { Format } from "../sheet.ts";
import type { Column } from "./data-table.tsx";
import { Delta } from "./delta.tsx";

/** For the file and the order: 12.3 for 12.3 %. Null if there is no positive whole. */
export const percent = (part: number, whole: number): number | null =>
  whole > 0 ? oneDecimal((100 * centavos(part)) / centavos(whole)) : null;

const textOf = (value: number | null, format: (value: number) => string) =>
  value === null ? "—" : format(value);

const numberColumn =
  (format: (value: number) => string, more: { format?: Format } = {}) =>
  <Row,>(title: string, figureOf: (row: Row) => number | null, total?: number | null): Column<Row> => ({
    title,
    value: figureOf,
    cell: (row) => textOf(figureOf(row), format),
    ...(total !== undefined && { total, totalCell: textOf(total, format) }),
    isNumber: true,
    ...more,
  });

const IN_REAIS = { format: "money" } as const;
/** A column of amounts, with its total if there is one. */
export const amountColumn = numberColumn(money, IN_REAIS);
/** The same of counts. */
export const countColumn = numberColumn(number);

type Measures<Key extends string> = Record<Key, number>;
type Compared<Key extends string> = Measures<Key> & { anterior?: Measures<Key> };

/** Whether a row may lead an order by change: small amounts would look large in it. */
export const hadEnough = ({ anterior }: { anterior?: Measures<"valor_total"> }): boolean =>
  (anterior?.valor_total ?? 0) >= LEAST_PAST;

interface ChangeOptions<Row> {
  /** Less is better, as of costs. */
  isInverse?: boolean;
  /** The other rows are the last in an order by change. */
  mayLead?: (row: Row) => boolean;
}

/**
 * The change in per cent and in reais, and the earlier value; no columns if nothing is compared. Rows are sorted by
 * reais: a fall of 100 % may be of little money.
 */
export const changeColumns = <Key extends string, Row extends Compared<Key> = Compared<Key>>(
  key: Key,
  totals: Compared<Key>,
  { isInverse = false, mayLead = () => true }: ChangeOptions<Row> = {},
): Column<Row>[] => {
  if (totals.anterior === undefined) return [];
  const beforeOf = ({ anterior }: Compared<Key>): number => anterior?.[key] ?? 0;
  const differenceOf = (row: Compared<Key>) => (centavos(row[key]) - centavos(beforeOf(row))) / 100;
  const changeOf = (row: Compared<Key>) => percent(row[key] - beforeOf(row), beforeOf(row));
  const delta = (row: Compared<Key>) => <Delta now={row[key]} before={beforeOf(row)} isInverse={isInverse} />;
  return [
    {
      title: "Variação (%)",
      value: changeOf,
      cell: delta,
      total: changeOf(totals),
      totalCell: delta(totals),
      isNumber: true,
      isMain: true,
      isUnsorted: true,
    },
    {
      ...numberColumn(signedMoney, IN_REAIS)("Variação (R$)", differenceOf, differenceOf(totals)),
      rank: (row) => (mayLead(row) ? differenceOf(row) : null),
    },
    amountColumn("Antes", beforeOf, beforeOf(totals)),
  ];
};

/** The share of a row in the sum of all rows, in per cent. */
const partPercent = (part: number, whole: number) => (isPart(part, whole) ? percent(part, whole) : null);

/** The share of each row in the value of all. */
export const shareColumn = ({
  valor_total: all,
}: Measures<"valor_total">): Column<Measures<"valor_total">> => ({
  title: "Parte do valor (%)",
  value: (row) => partPercent(row.valor_total, all),
  cell: (row) => partShare(row.valor_total, all),
  total: partPercent(all, all),
  totalCell: partShare(all, all),
  isNumber: true,
});

/** The value of a row, its change, what it was before, and its share in all. */
export const valueColumns = (
  title: string,
  totals: Compared<"valor_total">,
): Column<Compared<"valor_total">>[] => [
  { ...amountColumn(title, ({ valor_total }) => valor_total, totals.valor_total), isMain: true },
  ...changeColumns("valor_total", totals),
  shareColumn(totals),
];
