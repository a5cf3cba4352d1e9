import { type Column, getTableColumns, is, type SQL, sql } from "drizzle-orm";
import { PgNumeric, type PgTable } from "drizzle-orm/pg-core";
import type { z } from "zod";

/** The columns that a record is read from. A column that is not listed cannot leak. */
export interface Selection<Item> {
  table: PgTable;
  columns: Record<string, Column | SQL>;
  shared?: SQL;
  /** Never set. It makes `Item` invariant: a selection with missing or extra fields is a type error. */
  readonly record?: (item: Item) => Item;
}

type Stored<Fields, Row> = {
  [Name in keyof Fields & keyof Row]: Row[Name] extends Fields[Name] ? Name : never;
}[keyof Fields & keyof Row];

/** Requires an expression for each field that has no column of the same name and type. */
type Computed<Fields, Row> = { [Name in Exclude<keyof Fields, Stored<Fields, Row>>]: SQL } & {
  [Name in Stored<Fields, Row>]?: never;
};

/** Reads the fields of a schema, in order. Numerics become text, so that money has two decimals (V1). */
export const selectionOf = <Table extends PgTable, Schema extends z.ZodObject>(
  table: Table,
  schema: Schema,
  computed: Computed<z.output<Schema>, Table["$inferSelect"]>,
): Selection<z.output<Schema>> => {
  const stored = getTableColumns(table);
  const columns = Object.keys(schema.shape).map((name) => {
    const column = (computed as Record<string, SQL>)[name] ?? (stored[name] as Column);
    return [name, is(column, PgNumeric) ? sql`${column}::text` : column];
  });
  return { table, columns: Object.fromEntries(columns) };
};
