import { type Column, eq, type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { Db, JsonText } from "../core/database.ts";
import { recordNotFound } from "../core/errors.ts";
import { joinWithCommas, whereClause } from "./conditions.ts";
import { type FinishedBody, withClause, withEtag } from "./json-sql.ts";
import { rowsReport } from "./reports.ts";
import type { Selection } from "./selection.ts";
import { type Placeholders, statement } from "./statement.ts";

/** Computes columns after LIMIT, for `rows` only. Their SQL refers to the table, so `rows` takes its name. */
export const selectRecords = <Item>({ table, columns }: Selection<Item>, rows: SQL) => {
  const fields = Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);
  return sql`select ${joinWithCommas(fields)} from (${rows}) as ${sql.identifier(getTableConfig(table).name)}`;
};

export type ListBody = z.ZodType<{ data: object[] }>;
export type ItemOf<Body extends ListBody> = z.output<Body>["data"][number];

interface RowOptions {
  where: SQL | undefined;
  order: SQL[];
}

export const selectAllRecords = <Item>(selection: Selection<Item>, { where, order }: RowOptions) =>
  selectRecords(
    selection,
    sql`select * from ${selection.table}${whereClause(where)} order by ${joinWithCommas(order)}`,
  );

export const listAll = <Query extends z.ZodType<object>, Body extends ListBody>(
  selection: Selection<ItemOf<Body>>,
  build: (given: Placeholders<z.output<Query>>) => RowOptions,
) => rowsReport<z.output<Query>, z.output<Body>>((given) => selectAllRecords(selection, build(given)));

export const findByKey = <Item, Key extends Column>(selection: Selection<Item>, key: Key) => {
  const toStatement = statement<{ id: Key["_"]["data"] }>(({ id }) => {
    const row = sql`select * from ${selection.table}${whereClause(eq(key, id))}`;
    return withEtag(sql`${withClause(selection.shared)}
      select row_to_json(record)::text as body from (${selectRecords(selection, row)}) as record`);
  });
  return async (db: Db, q: { id: Key["_"]["data"] }): Promise<JsonText<Item>> => {
    const record = await db<FinishedBody>(toStatement(q));
    if (record === undefined) throw recordNotFound(q.id as string | number, key.name);
    return record;
  };
};
