import { type Column, getTableColumns, is, type SQL, sql } from "drizzle-orm";
import { PgJsonb, PgNumeric, type PgTable } from "drizzle-orm/pg-core";
import type { z } from "zod";
import { metadataOf } from "../../core/schema-metadata.ts";
import { type Kinds, kindOf } from "./kinds.ts";
import type { Shape } from "./read-request.ts";
import type { ANY_UNIT, Scope } from "./scope.ts";

/** The columns that a record is read from. A column that is not listed cannot leak. */
export interface Selection<Item> {
  table: PgTable;
  columns: Record<string, Column | SQL>;
  /** Replaces personal fields for a reader who may not see them (A11). */
  masks: Record<string, SQL>;
  isMasked: (scope: Scope) => boolean;
  /** The column with the unit that a row belongs to. */
  unit: Column | typeof ANY_UNIT;
  kinds: Kinds;
  /** A CTE that one of the fields needs. */
  shared?: { field: string; expression: SQL };
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
  unit: Column | typeof ANY_UNIT;
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
  const kinds = Object.entries(schema.shape).map(([name, field]) => [
    name,
    // A numeric is text in JSON (V1).
    is(stored[name], PgNumeric) ? "number" : kindOf(field as z.ZodType),
  ]);
  const personal = Object.entries(schema.shape).filter(([, field]) => metadataOf(field).isPersonal);
  const maskOf = (name: string) =>
    (masks as Record<string, SQL>)[name] ?? (is(stored[name], PgJsonb) ? sql`'{}'::jsonb` : sql`null`);
  return {
    table,
    columns: Object.fromEntries(columns),
    masks: Object.fromEntries(personal.map(([name]) => [name, maskOf(name)])),
    isMasked,
    unit,
    kinds: Object.fromEntries(kinds),
  };
};

/** The fields that are read, in order. CSV has payloads and services only if `campos` names them (X1). */
export const fieldsOf = <Item>({ kinds }: Selection<Item>, { fields, format }: Shape): Kinds =>
  Object.fromEntries(
    Object.entries(kinds).filter(([name, kind]) => fields?.includes(name) ?? (!format || kind !== "json")),
  );

/** The CTE for the fields that are read, if they need one. */
export const sharedOf = <Item>(selection: Selection<Item>, shape: Shape): SQL | undefined => {
  const { shared } = selection;
  return shared && shared.field in fieldsOf(selection, shape) ? shared.expression : undefined;
};
