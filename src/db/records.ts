import { type Column, eq, type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { Db, JsonText } from "../core/database.ts";
import { noRecord } from "../core/errors.ts";
import { joined, whereOf } from "./conditions.ts";
import { type FinishedBody, withClause, withEtag } from "./json-sql.ts";
import { rowsReport } from "./reports.ts";
import type { Selection } from "./selection.ts";
import { type Placeholders, statement } from "./statement.ts";

/** Computes the columns after LIMIT, for `rows` only. The columns refer to the table, so the subquery has its name. */
export const records = <Item>({ table, columns }: Selection<Item>, rows: SQL) => {
  const fields = Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);
  return sql`select ${joined(fields)} from (${rows}) as ${sql.identifier(getTableConfig(table).name)}`;
};

export type ListBody = z.ZodType<{ data: object[] }>;
export type ItemOf<Body extends ListBody> = z.output<Body>["data"][number];

interface Shown {
  where: SQL | undefined;
  order: SQL[];
}

export const allRecords = <Item>(selection: Selection<Item>, { where, order }: Shown) =>
  records(selection, sql`select * from ${selection.table}${whereOf(where)} order by ${joined(order)}`);

export const listAll = <Asked extends z.ZodType<object>, Body extends ListBody>(
  selection: Selection<ItemOf<Body>>,
  build: (given: Placeholders<z.output<Asked>>) => Shown,
) => rowsReport<z.output<Asked>, z.output<Body>>((given) => allRecords(selection, build(given)));

export const findByKey = <Item, Key extends Column>(selection: Selection<Item>, key: Key) => {
  const text = statement<{ id: Key["_"]["data"] }>(({ id }) => {
    const row = sql`select * from ${selection.table}${whereOf(eq(key, id))}`;
    return withEtag(sql`${withClause(selection.shared)}
      select row_to_json(record)::text as body from (${records(selection, row)}) as record`);
  });
  return async (db: Db, q: { id: Key["_"]["data"] }): Promise<JsonText<Item>> => {
    const record = await db<FinishedBody>(text(q));
    if (record === undefined) throw noRecord(q.id as string | number, key.name);
    return record;
  };
};
