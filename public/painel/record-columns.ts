// What the lists of records share: a request with its words, and columns of amounts and counts.
import type { Column } from "./components/data-table.tsx";
import { money, number } from "./format.ts";

export interface Query<Of = unknown> {
  /** The unit and the days. */
  subtitle: string;
  resource: string;
  file: string;
  filters: Record<string, string>;
  fields: readonly string[];
  columns: readonly Column<Of>[];
  /** The amount that a file with all rows adds up, in the column `AMOUNT`. */
  amountOf: (row: Of) => number | null;
}

/** The title of the column with the amount. */
export const AMOUNT = "Valor";

/** A `numeric` of Postgres can be NaN or infinite. */
export const numberOf = (text: string | null) =>
  text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
const reais = (amount: number | null) => (amount === null ? "—" : money(amount));

export const amount = <Of>(
  title: string,
  amountOf: (row: Of) => number | null,
  more: Partial<Column<Of>> = {},
): Column<Of> => ({ title, value: amountOf, cell: (row) => reais(amountOf(row)), isNumber: true, ...more });

export const count = <Of>(title: string, countOf: (row: Of) => number | null): Column<Of> => ({
  title,
  value: countOf,
  cell: (row) => {
    const value = countOf(row);
    return value === null ? "—" : number(value);
  },
  isNumber: true,
});
