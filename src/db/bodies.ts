import { type Column, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import type { JsonText } from "../http/responses.ts";
import type { Db } from "./connect.ts";
import { whereOf } from "./filters.ts";

/** What is read of a table. What `columns` does not list cannot leak. */
export interface Selection {
  table: PgTable;
  /** The fields of a record, in their order, by name. They see one row of `table`. */
  columns: Record<string, Column | SQL>;
  where: SQL | undefined;
}

/** A selection in a total order. */
export interface Listing extends Selection {
  order: SQL[];
}

/** A number known here, written into the statement's text. */
const number = (value: number) => sql.raw(String(value));

const list = (parts: SQLWrapper[]) => sql.join(parts, sql`, `);

/**
 * The records of some rows of the table. The rows are cut first and the columns computed after, under the
 * table's own name, so that only records that leave cost a lookup.
 */
const records = ({ table, columns }: Selection, rows: SQL) => {
  const fields = Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);
  return sql`select ${list(fields)} from (${rows}) as ${sql.identifier(getTableConfig(table).name)}`;
};

const cut = (listing: Listing, limit: number, offset = 0) => sql`
  select * from ${listing.table}${whereOf(listing.where)}
  order by ${list(listing.order)} limit ${number(limit)} offset ${number(offset)}`;

/** Records as the elements of a JSON array, in their order, with every digit as Postgres holds it (V2). */
const elements = (source: SQL) =>
  sql`coalesce((select string_agg(row_to_json(record)::text, ',') from (${source}) as record), '')`;

/**
 * One page of a classic list and its totals, from one snapshot (L3).
 * A page past the end has no records and the true totals.
 */
export const page = async <T>(
  db: Db,
  listing: Listing,
  { page: current, per_page }: { page: number; per_page: number },
): Promise<JsonText<T>> => {
  const rows = cut(listing, per_page, (current - 1) * per_page);
  const { body, total } = oneRow(
    await db<{ body: string; total: string }>(sql`
      select '{"data":[' || ${elements(records(listing, rows))}
        || '],"pagination":{"page":${number(current)},"per_page":${number(per_page)},"total":' || total
        || ',"total_pages":' || (total + ${number(per_page - 1)}) / ${number(per_page)} || '}}' as body, total
      from (select count(*) from ${listing.table}${whereOf(listing.where)}) as counted(total)`),
  );
  const last = Math.max(1, Math.ceil(Number(total) / per_page));
  return {
    body,
    links: {
      ...(current < last && { next: ["page", current + 1] as const }),
      ...(current > 1 && { prev: ["page", Math.min(current - 1, last)] as const }),
      first: ["page", 1],
      last: ["page", last],
    },
  };
};

/**
 * One page by cursor: no count, no offset. Reads one row more than it shows to know whether there are more (L4).
 * @param listing ascending by `id`, all of them greater than the cursor
 */
export const cursor = async <T>(db: Db, listing: Listing, per_page: number): Promise<JsonText<T>> => {
  const shown = number(per_page);
  const { body, next } = oneRow(
    await db<{ body: string; next: string | null }>(sql`
      select '{"data":[' || coalesce(array_to_string(texts[1:${shown}], ','), '')
        || '],"pagination":{"per_page":${shown},"next_after_id":' || coalesce(next::text, 'null')
        || ',"has_more":' || (next is not null)::text || '}}' as body, next
      from (
        select array_agg(row_to_json(record)::text) as texts,
          case when count(*) > ${shown} then (array_agg(id))[${shown}] end as next
        from (${records(listing, cut(listing, per_page + 1))}) as record
      ) as read`),
  );
  return next === null ? { body } : { body, links: { next: ["after_id", next] } };
};

/** All records as `{data: […]}`, without pagination. @param source a select in its order */
export const all = async <T>(db: Db, source: SQL): Promise<JsonText<T>> =>
  oneRow(await db<{ body: string }>(sql`select '{"data":[' || ${elements(source)} || ']}' as body`));

/** Every record of a listing, for `all`. */
export const everyRecord = (listing: Listing) =>
  records(
    listing,
    sql`select * from ${listing.table}${whereOf(listing.where)} order by ${list(listing.order)}`,
  );

/** One record, or undefined when there is none. */
export const one = <T>(db: Db, selection: Selection): Promise<JsonText<T> | undefined> => {
  const row = sql`select * from ${selection.table}${whereOf(selection.where)}`;
  return db<{ body: string }>(sql`
    select row_to_json(record)::text as body from (${records(selection, row)}) as record`);
};

const oneRow = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error("an aggregate answered no row");
  return row;
};
