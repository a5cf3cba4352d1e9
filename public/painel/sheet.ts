// A table as a file holds it.

export type Value = string | number | Date | null;
/** How a spreadsheet shows a value: an amount in reais, or a date without its time. */
export type Format = "money" | "day";
export type Cell = { value: Value; format?: Format };
/** `name` is the file's name, without the extension. */
export type Sheet = { name: string; columns: string[]; rows: Cell[][] };

interface SheetColumn<Row> {
  title: string;
  value: (row: Row) => Value;
  total?: Value;
  format?: Format;
}

/** The rows of a table as a file, with its row of totals. */
export const sheetOf = <Row>(
  name: string,
  columns: readonly SheetColumn<Row>[],
  rows: readonly Row[],
): Sheet => {
  const cells = (of: (column: SheetColumn<Row>, index: number) => Value) =>
    columns.map((column, index) => ({
      value: of(column, index),
      ...(column.format && { format: column.format }),
    }));
  const totals = cells(({ total = null }, index) => (index === 0 ? "Total" : total));
  const hasTotals = columns.some(({ total }) => total !== undefined);
  return {
    name,
    columns: columns.map(({ title }) => title),
    rows: [...rows.map((row) => cells(({ value }) => value(row))), ...(hasTotals ? [totals] : [])],
  };
};
