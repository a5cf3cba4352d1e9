import { type Column, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { Db, JsonText } from "../../core/database.ts";
import { recordNotFound } from "../../core/errors.ts";
import { joinWithCommas, whereClause } from "./conditions.ts";
import { tableBody } from "./csv-sql.ts";
import { jsonQuery } from "./json-queries.ts";
import { type FinishedBody, finishBody, optimizationFence, withClause } from "./json-sql.ts";
import type { ReadRequest, Shape } from "./read-request.ts";
import { type Scope, Units } from "./scope.ts";
import { fieldsOf, type Selection, sharedOf } from "./selection.ts";
import { type PlaceholdersOf, statement } from "./statement.ts";

const selectedColumns = <Item>(selection: Selection<Item>, scope: Scope, shape: Shape) => {
  const { columns, masks } = selection;
  const shown: Record<string, SQLWrapper> = selection.isMasked(scope) ? { ...columns, ...masks } : columns;
  const names = Object.keys(fieldsOf(selection, shape));
  return joinWithCommas(names.map((name) => sql`${shown[name]} as ${sql.identifier(name)}`));
};

const namedRows = <Item>({ table }: Selection<Item>, rows: SQL) =>
  sql`(${rows}) as ${sql.identifier(getTableConfig(table).name)}`;

/** Computes columns after LIMIT, for `rows` only. Their SQL refers to the table, so `rows` takes its name. */
export const selectRecords = <Item>(selection: Selection<Item>, rows: SQL, scope: Scope, shape: Shape) => sql`
  select ${selectedColumns(selection, scope, shape)}
  from ${namedRows(selection, rows)}`;

/** The rows themselves, each joined with its record as `record`. */
export const rowsWithRecord = <Item>(selection: Selection<Item>, rows: SQL, scope: Scope, shape: Shape) => {
  const select = sql`select ${selectedColumns(selection, scope, shape)}`;
  const record = shape.format ? optimizationFence(select) : sql`(${select})`;
  return sql`${namedRows(selection, rows)} cross join lateral ${record} as record`;
};

export type ListBody = z.ZodType<{ data: object[] }>;
export type ItemOf<Body extends ListBody> = z.output<Body>["data"][number];

/** The condition on the unit of a row, if the reader is limited to units. */
export const inUnits = <Item>({ unit }: Selection<Item>, { ownUnits }: Scope): SQL | undefined =>
  unit instanceof Units || ownUnits.value === undefined ? undefined : sql`${unit} = ${ownUnits.value}`;

interface RowOptions {
  where: SQL | undefined;
  order: SQL[];
}

export const selectAllRecords = <Item>(
  selection: Selection<Item>,
  { where, order }: RowOptions,
  scope: Scope,
  shape: Shape,
) => {
  const rows = sql`
    select *
    from ${selection.table}
    ${whereClause(where, inUnits(selection, scope))}
    order by ${joinWithCommas(order)}`;
  return selectRecords(selection, rows, scope, shape);
};

export const listAll = <Query extends z.ZodType<object>, Body extends ListBody>(
  selection: Selection<ItemOf<Body>>,
  build: (placeholders: PlaceholdersOf<z.output<Query>>) => RowOptions,
) =>
  jsonQuery<z.output<Query>, z.output<Body>>((placeholders, scope, shape) => {
    const records = selectAllRecords(selection, build(placeholders), scope, shape);
    return sql`select ${tableBody(fieldsOf(selection, shape), records, shape)} as body`;
  });

/** Finds a record by a key. An integer key is given as its digits (I2). */
export const findByKey = <Item>(selection: Selection<Item>, key: Column) => {
  const toStatement = statement<{ id: string }>(({ id }, scope, shape) => {
    const row = sql`
      select *
      from ${selection.table}
      ${whereClause(eq(key, id), inUnits(selection, scope))}`;
    const select = sql`
      ${withClause(sharedOf(selection, shape))}
      select row_to_json(record)::text as body
      from (${selectRecords(selection, row, scope, shape)}) as record`;
    return finishBody(select, { isOneRecord: sql`true` });
  });
  return async (db: Db, request: ReadRequest, q: { id: string }): Promise<JsonText<Item>> => {
    const record = await db<FinishedBody>(toStatement(request, q));
    if (record === undefined) throw recordNotFound(q.id, key.name);
    return record;
  };
};
