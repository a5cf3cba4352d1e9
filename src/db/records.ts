import { type Column, eq, type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { Db, JsonText } from "../core/database.ts";
import { recordNotFound } from "../core/errors.ts";
import type { Rights } from "../core/rights.ts";
import { joinWithCommas, whereClause } from "./conditions.ts";
import { type FinishedBody, withClause, withEtag } from "./json-sql.ts";
import { rowsReport } from "./reports.ts";
import { type Scope, Units } from "./scope.ts";
import type { Selection } from "./selection.ts";
import { type Given, statement } from "./statement.ts";

/** Computes columns after LIMIT, for `rows` only. Their SQL refers to the table, so `rows` takes its name. */
export const selectRecords = <Item>(selection: Selection<Item>, rows: SQL, scope: Scope) => {
  const { table, columns, masks } = selection;
  const shown = selection.isMasked(scope) ? { ...columns, ...masks } : columns;
  const fields = Object.entries(shown).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);
  return sql`select ${joinWithCommas(fields)} from (${rows}) as ${sql.identifier(getTableConfig(table).name)}`;
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
) =>
  selectRecords(
    selection,
    sql`select * from ${selection.table}${whereClause(where, inUnits(selection, scope))} order by ${joinWithCommas(order)}`,
    scope,
  );

export const listAll = <Query extends z.ZodType<object>, Body extends ListBody>(
  selection: Selection<ItemOf<Body>>,
  build: (given: Given<z.output<Query>>) => RowOptions,
) =>
  rowsReport<z.output<Query>, z.output<Body>>((given, scope) =>
    selectAllRecords(selection, build(given), scope),
  );

export const findByKey = <Item, Key extends Column>(selection: Selection<Item>, key: Key) => {
  const toStatement = statement<{ id: Key["_"]["data"] }>(({ id }, scope) => {
    const row = sql`select * from ${selection.table}${whereClause(eq(key, id), inUnits(selection, scope))}`;
    return withEtag(sql`${withClause(selection.shared)}
      select row_to_json(record)::text as body from (${selectRecords(selection, row, scope)}) as record`);
  });
  return async (db: Db, rights: Rights, q: { id: Key["_"]["data"] }): Promise<JsonText<Item>> => {
    const record = await db<FinishedBody>(toStatement(rights, q));
    if (record === undefined) throw recordNotFound(q.id as string | number, key.name);
    return record;
  };
};
