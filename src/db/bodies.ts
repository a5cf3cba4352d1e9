import { type Column, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { Refusal } from "../http/errors.ts";
import type { JsonText } from "../http/responses.ts";
import { list, number, whereOf } from "./conditions.ts";
import type { Db } from "./connect.ts";
import type { Finding } from "./lists.ts";
import { type Given, statement } from "./statement.ts";

/** What is read of a table. What `columns` does not list cannot leak. */
interface Selection {
  table: PgTable;
  /** The fields of a record, in their order, by name. They see one row of `table`. */
  columns: Record<string, Column | SQL>;
  /** A common table expression the columns read from. */
  shared?: SQL;
}

/** A selection in a total order. */
interface Ordered extends Selection {
  order: SQL[];
}

/**
 * The records of some rows of the table. The rows are cut first and the columns computed after, under the
 * table's own name, so that only records that leave cost a lookup.
 */
const records = ({ table, columns }: Selection, rows: SQL) => {
  const fields = Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);
  return sql`select ${list(fields)} from (${rows}) as ${sql.identifier(getTableConfig(table).name)}`;
};

/** The rows that have these ids. Ids are found in an index alone; only these rows are fetched. */
const fetched = ({ table, order }: Ordered, ids: SQL) =>
  sql`select ${table}.* from (${ids}) as found join ${table} using (id) order by ${list(order)}`;

const sharing = (...expressions: (SQL | undefined)[]) => {
  const given = expressions.filter((expression) => expression !== undefined);
  return given.length > 0 ? sql`with ${list(given)} ` : sql``;
};

/** What every statement answers. */
interface Finished {
  body: string;
  tag: string;
}

/** A select that is run once, however often its columns are used: without it Postgres runs it for each use. */
const once = (select: SQL) => sql`(${select} offset 0)`;

/** A finished body with its entity tag: Postgres reads its text at a fraction of what it costs a Worker. */
const tagged = (select: SQL) => sql`select *, md5(body) as tag from ${once(select)} as finished`;

/** Five pages of so many bytes at once fit a Worker's 128 MB, with all the forms a text has on its way. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** A page as it is, or without its body where that is too large to be carried. A page of one record is never cut. */
const limited = (select: SQL, per_page: SQL) => sql`
  select case when octet_length(body) <= ${number(MAX_PAGE_BYTES)} or ${per_page} = 1 then body end as body, neighbour
  from ${once(select)} as page(body, neighbour)`;

const refuseIfLarge = (body: string | null) => {
  if (body === null) {
    throw new Refusal(
      400,
      `This page would be larger than ${MAX_PAGE_BYTES >> 20} MiB: its records are large. Ask for fewer with \`per_page\`.`,
    );
  }
};

/** Records as the elements of a JSON array, in their order, with every digit as Postgres holds it (V2). */
const elements = (source: SQL) =>
  sql`coalesce((select string_agg(row_to_json(record)::text, ',') from (${source}) as record), '')`;

/**
 * One page of a classic list and its totals, from one snapshot (L3).
 * A page past the end has no records and the true totals.
 */
export const page = <Q extends { page: number; per_page: number }, T>(
  build: (given: Given<Q>) => Ordered & { find: Finding },
) => {
  const text = statement<Q & { offset: number | undefined }>((given) => {
    const { find, ...ordered } = build(given as Given<Q>);
    const [current, size] = [given.page, sql`${given.per_page}::bigint`];
    const select = sql`${sharing(find.shared, ordered.shared)}
      select '{"data":[' || ${elements(records(ordered, fetched(ordered, find.page(size, given.offset))))}
        || '],"pagination":{"page":' || ${current} || ',"per_page":' || ${size} || ',"total":' || total
        || ',"total_pages":' || (total + ${size} - 1) / ${size} || '}}' as body, total
      from (${find.total}) as counted(total)`;
    return tagged(limited(select, size));
  });
  return async (db: Db, q: Q): Promise<JsonText<T>> => {
    const offset = (q.page - 1) * q.per_page;
    const { neighbour: total, ...finished } = oneRow(
      await db<Finished & { neighbour: string }>(text({ ...q, offset: offset || undefined })),
    );
    refuseIfLarge(finished.body);
    const last = Math.max(1, Math.ceil(Number(total) / q.per_page));
    return {
      ...finished,
      links: {
        ...(q.page < last && { next: ["page", q.page + 1] as const }),
        ...(q.page > 1 && { prev: ["page", Math.min(q.page - 1, last)] as const }),
        first: ["page", 1],
        last: ["page", last],
      },
    };
  };
};

/**
 * One page by cursor: no count, no offset. Reads one row more than it shows to know whether there are more (L4).
 * @param build its `ids` finds that many ids, ascending, all of them greater than the cursor
 */
export const cursor = <Q extends { per_page: number }, T>(
  build: (given: Given<Q>) => Ordered & { ids: (limit: SQL) => SQL },
) => {
  const text = statement<Q>((given) => {
    const { ids, ...ordered } = build(given);
    const size = sql`${given.per_page}::integer`;
    const select = sql`
      select '{"data":[' || coalesce(array_to_string(texts[1:${size}], ','), '')
        || '],"pagination":{"per_page":' || ${size} || ',"next_after_id":' || coalesce(next::text, 'null')
        || ',"has_more":' || (next is not null)::text || '}}' as body, next
      from (
        select array_agg(row_to_json(record)::text) as texts,
          case when count(*) > ${size} then (array_agg(id))[${size}] end as next
        from (${records(ordered, fetched(ordered, ids(sql`(${size} + 1)`)))}) as record
      ) as read`;
    return tagged(limited(select, size));
  });
  return async (db: Db, q: Q): Promise<JsonText<T>> => {
    const { neighbour: next, ...finished } = oneRow(
      await db<Finished & { neighbour: string | null }>(text(q)),
    );
    refuseIfLarge(finished.body);
    return next === null ? finished : { ...finished, links: { next: ["after_id", next] } };
  };
};

/** All records as `{data: […]}`, without pagination. @param build a select in its order */
export const all = <Q extends object, T>(build: (given: Given<Q>) => SQL) =>
  object<Q, T>((given) => sql`select '{"data":[' || ${elements(build(given))} || ']}' as body`);

/** All records of a small table, for `all`. */
export const everyRecord = ({ where, ...ordered }: Ordered & { where: SQL | undefined }) =>
  records(ordered, sql`select * from ${ordered.table}${whereOf(where)} order by ${list(ordered.order)}`);

/** What a statement answers as its `body`. */
export const object = <Q extends object, T>(build: (given: Given<Q>) => SQL) => {
  const text = statement<Q>((given) => tagged(build(given)));
  return async (db: Db, q: Q): Promise<JsonText<T>> => oneRow(await db<Finished>(text(q)));
};

/** One record, or undefined when there is none. */
export const one = <Q extends object, T>(build: (given: Given<Q>) => Selection & { where: SQL }) => {
  const text = statement<Q>((given) => {
    const { where, ...selection } = build(given);
    const row = sql`select * from ${selection.table}${whereOf(where)}`;
    return tagged(sql`${sharing(selection.shared)}
      select row_to_json(record)::text as body from (${records(selection, row)}) as record`);
  });
  return (db: Db, q: Q): Promise<JsonText<T> | undefined> => db<Finished>(text(q));
};

const oneRow = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error("an aggregate answered no row");
  return row;
};
