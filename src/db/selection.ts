import { type Column, getTableColumns, is, type SQL, sql } from "drizzle-orm";
import { PgNumeric, type PgTable } from "drizzle-orm/pg-core";
import type { z } from "zod";

/** What is read of a table for a record. What `columns` does not list cannot leak. */
export interface Selection<Item> {
  table: PgTable;
  /** The fields of a record, in their order, by name. They see one row of `table`. */
  columns: Record<string, Column | SQL>;
  /** A common table expression the columns read from. */
  shared?: SQL;
  /** Never there: makes the type refuse an answer of other fields, whether they are fewer or more. */
  readonly record?: (item: Item) => Item;
}

/** The fields a table has a column for, of the field's own name and type. */
type Stored<Fields, Row> = {
  [Name in keyof Fields & keyof Row]: Row[Name] extends Fields[Name] ? Name : never;
}[keyof Fields & keyof Row];

/** An expression for each field that is not stored, and for no other. */
type Computed<Fields, Row> = { [Name in Exclude<keyof Fields, Stored<Fields, Row>>]: SQL } & {
  [Name in Stored<Fields, Row>]?: never;
};

/**
 * Reads the fields of a schema, in its order: a computed one by its expression, any other from the table's column of
 * the same name. An exact number leaves as the text Postgres holds, so that money keeps its two decimals (V1).
 * @param computed the compiler asks for a field here that has no column of its type
 */
export const selectionOf = <Table extends PgTable, Schema extends z.ZodObject>(
  table: Table,
  schema: Schema,
  computed: Computed<z.output<Schema>, Table["$inferSelect"]>,
): Selection<z.output<Schema>> => {
  const stored = getTableColumns(table);
  const columns = Object.keys(schema.shape).map((name) => {
    // One of them has it: the types see to that.
    const column = (computed as Record<string, SQL>)[name] ?? (stored[name] as Column);
    return [name, is(column, PgNumeric) ? sql`${column}::text` : column];
  });
  return { table, columns: Object.fromEntries(columns) };
};
