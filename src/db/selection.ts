import { type Column, getTableColumns, is, type SQL, sql } from "drizzle-orm";
import { PgJsonb, PgNumeric, type PgTable } from "drizzle-orm/pg-core";
import type { z } from "zod";
import { isPersonal } from "./personal-data.ts";
import type { NO_UNITS, Scope } from "./scope.ts";

/** The columns that a record is read from. A column that is not listed cannot leak. */
export interface Selection<Item> {
  table: PgTable;
  columns: Record<string, Column | SQL>;
  /** Replaces personal fields for a reader who may not see them (A11). */
  masks: Record<string, SQL>;
  isMasked: (scope: Scope) => boolean;
  /** The column with the unit that a row belongs to. */
  unit: Column | typeof NO_UNITS;
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

interface Options<Fields> {
  unit: Column | typeof NO_UNITS;
  /** For personal fields that are not simply null or empty. */
  masks?: { [Name in keyof Fields]?: SQL };
  /** Default: for readers without the right to personal data. */
  isMasked?: (scope: Scope) => boolean;
}

/** Reads the fields of a schema, in order. Numerics become text, so that money has two decimals (V1). */
export const selectionOf = <Table extends PgTable, Schema extends z.ZodObject>(
  table: Table,
  schema: Schema,
  computed: Computed<z.output<Schema>, Table["$inferSelect"]>,
  { unit, masks = {}, isMasked = (scope) => scope.hidesPersonalData }: Options<z.output<Schema>>,
): Selection<z.output<Schema>> => {
  const stored = getTableColumns(table);
  const columns = Object.keys(schema.shape).map((name) => {
    const column = (computed as Record<string, SQL>)[name] ?? (stored[name] as Column);
    return [name, is(column, PgNumeric) ? sql`${column}::text` : column];
  });
  const personal = Object.entries(schema.shape).filter(([, field]) => isPersonal(field as z.ZodType));
  const maskOf = (name: string) =>
    (masks as Record<string, SQL>)[name] ?? (is(stored[name], PgJsonb) ? sql`'{}'::jsonb` : sql`null`);
  return {
    table,
    columns: Object.fromEntries(columns),
    masks: Object.fromEntries(personal.map(([name]) => [name, maskOf(name)])),
    isMasked,
    unit,
  };
};
