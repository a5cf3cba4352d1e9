// What the lists of records share: a request with its words, and columns of amounts and counts.
import type { Column } from "./components/data-table.tsx";
import { money, number } from "./format.ts";
import type { Value } from "./sheet.ts";

export interface SumReport {
  data: { estabelecimento_id?: string | null; despesas?: number | null }[];
  totais: Record<string, number | null>;
}

/** The sum that is `valor_total` of a report. */
export const totalOf = (report: string, filters: Record<string, string>): Query["sum"] => ({
  report,
  query: { ...filters, medidas: "valor_total" },
  in: ({ totais }) => totais.valor_total,
});

export interface Query<Of = unknown> {
  /** The unit and the days. */
  subtitle: string;
  resource: string;
  file: string;
  filters: Record<string, string>;
  /** The report that adds up all records, what it is asked, and where the sum is in its answer. */
  sum: { report: string; query: Record<string, string>; in: (body: SumReport) => number | null | undefined };
  /** The order of the pages, unless it is that of the service. */
  order?: string;
  fields: readonly string[];
  columns: readonly Column<Of>[];
  /** The amount that a file adds up, in the column `AMOUNT`. */
  amountOf: (row: Of) => string | null;
  /** Puts records that are in ascending order of their ids in the order of the pages. */
  sorted: (rows: readonly Of[]) => readonly Of[];
}

/** The title of the column with the amount. */
export const AMOUNT = "Valor";

/** A `numeric` of Postgres can be NaN or infinite. */
export const numberOf = (text: string | null) =>
  text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
const textOf = (decimal: string | null, format: (value: number) => string) => {
  const value = numberOf(decimal);
  return value === null ? "—" : format(value);
};
/** A number has 15 digits at most: a longer decimal stays text. */
const cellValue = (decimal: string | null): Value => {
  const digits =
    decimal
      ?.replace(/(\.\d*?)0+$/, "$1")
      .replaceAll(/\D/g, "")
      .replace(/^0+/, "") ?? "";
  return digits.length > 15 ? decimal : numberOf(decimal);
};

/** Orders dates as the service writes them. */
export const compareDates = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

export const count = <Of>(title: string, countOf: (row: Of) => string | null): Column<Of> => ({
  title,
  value: (row) => cellValue(countOf(row)),
  cell: (row) => textOf(countOf(row), number),
  isNumber: true,
});

export const amount = <Of>(title: string, amountOf: (row: Of) => string | null): Column<Of> => ({
  ...count(title, amountOf),
  cell: (row) => textOf(amountOf(row), money),
  format: "money",
});
