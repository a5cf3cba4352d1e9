import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { JsonText } from "../http/responses.ts";
import type { Db } from "./connect.ts";

/** A select with its order, ready to be cut to a page. */
interface OrderedRows extends SQLWrapper {
  limit(rows: number): SQLWrapper & { offset(rows: number): SQLWrapper };
}

/** Values known here, written into JSON text by Postgres. */
const number = (value: number) => sql.raw(String(value));

/** Rows as the elements of a JSON array, in their order, with every digit as Postgres holds it (V2). */
const elements = (rows: SQLWrapper) =>
  sql`coalesce((select string_agg(row_to_json(rows)::text, ',') from ${rows} as rows), '')`;

/** How many rows of a table meet a condition, for `total`. */
export const count = (table: PgTable, where: SQL | undefined) =>
  sql`(select count(*) from ${table}${where && sql` where ${where}`})`;

/**
 * One page of a classic list and its totals, from one snapshot (L3).
 * A page past the end has no rows and the true totals.
 */
export const page = async <T>(
  db: Db,
  list: { rows: OrderedRows; count: SQL; page: number; per_page: number },
): Promise<JsonText<T>> => {
  const rows = list.rows.limit(list.per_page).offset((list.page - 1) * list.per_page);
  const answer = await db<{ body: string; total: string }>(sql`
    select '{"data":[' || ${elements(rows)}
      || '],"pagination":{"page":${number(list.page)},"per_page":${number(list.per_page)},"total":' || total
      || ',"total_pages":' || (total + ${number(list.per_page - 1)}) / ${number(list.per_page)} || '}}' as body, total
    from ${list.count} as counted(total)`);
  const { body, total } = oneRow(answer);
  const last = Math.max(1, Math.ceil(Number(total) / list.per_page));
  return {
    body,
    links: {
      ...(list.page < last && { next: ["page", list.page + 1] as const }),
      ...(list.page > 1 && { prev: ["page", Math.min(list.page - 1, last)] as const }),
      first: ["page", 1],
      last: ["page", last],
    },
  };
};

/**
 * One page by cursor: no count, no offset. Reads one row more than it shows to know whether there are more (L4).
 * @param list.rows ascending by `id`, all greater than the cursor
 */
export const cursor = async <T>(
  db: Db,
  list: { rows: OrderedRows; per_page: number },
): Promise<JsonText<T>> => {
  const rows = list.rows.limit(list.per_page + 1);
  const shown = number(list.per_page);
  const answer = await db<{ body: string; next: string | null }>(sql`
    select '{"data":[' || coalesce(array_to_string(texts[1:${shown}], ','), '')
      || '],"pagination":{"per_page":${shown},"next_after_id":' || coalesce(next::text, 'null')
      || ',"has_more":' || (next is not null)::text || '}}' as body, next
    from (
      select array_agg(row_to_json(rows)::text) as texts,
        case when count(*) > ${shown} then (array_agg(id))[${shown}] end as next
      from ${rows} as rows
    ) as read`);
  const { body, next } = oneRow(answer);
  return next === null ? { body } : { body, links: { next: ["after_id", next] } };
};

/** The whole result as `{data: […]}`, without pagination. */
export const all = async <T>(db: Db, rows: SQLWrapper): Promise<JsonText<T>> =>
  oneRow(await db<{ body: string }>(sql`select '{"data":[' || ${elements(rows)} || ']}' as body`));

/** One record, or undefined when there is none. */
export const one = <T>(db: Db, row: SQLWrapper): Promise<JsonText<T> | undefined> =>
  db<{ body: string }>(sql`select row_to_json(rows)::text as body from ${row} as rows`);

const oneRow = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error("an aggregate answered no row");
  return row;
};
