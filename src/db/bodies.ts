import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import type { Db, JsonText } from "../ground/database.ts";
import { Refusal } from "../ground/errors.ts";
import { joined, number, whereOf } from "./conditions.ts";
import { type PageFinder, readSettledId } from "./lists.ts";
import type { Selection } from "./selection.ts";
import { type Placeholders, statement } from "./statement.ts";

/**
 * The records of some rows of the table. The rows are cut first and the columns computed after, under the
 * table's own name, so that lookups are made for the records of the page alone.
 */
export const records = <Item>({ table, columns }: Selection<Item>, rows: SQL) => {
  const fields = Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);
  return sql`select ${joined(fields)} from (${rows}) as ${sql.identifier(getTableConfig(table).name)}`;
};

/** The rows that have these ids. Ids are found in an index alone; only these rows are fetched. */
const fetched = (table: PgTable, ids: SQL, order: SQL[]) =>
  sql`select ${table}.* from (${ids}) as found join ${table} using (id) order by ${joined(order)}`;

export const withClause = (...expressions: (SQL | undefined)[]) => {
  const given = expressions.filter((expression) => expression !== undefined);
  return given.length > 0 ? sql`with ${joined(given)} ` : sql``;
};

/** A body that lists records. */
interface Listed {
  data: object[];
}

/** What every statement answers. */
export interface Finished {
  body: string;
  tag: string;
}

/** A select behind an optimization fence: without `offset 0` Postgres computes a column again for each use of it. */
export const fenced = (select: SQL) => sql`(${select} offset 0)`;

/** A finished body with its entity tag: to hash the text costs Postgres a fraction of what it costs a Worker. */
export const tagged = (select: SQL) => sql`select *, md5(body) as tag from ${fenced(select)} as finished`;

/** A Worker's 128 MB hold five such pages at once, with the copies that are made of each on its way. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * A page, or null for its body where that is too large; a page of one record is never refused. `neighbour` is what the
 * links to other pages are made from: the total, or by cursor the id to go on after.
 */
export const limited = (select: SQL, per_page: SQL) => sql`
  select case when octet_length(body) <= ${number(MAX_PAGE_BYTES)} or ${per_page} = 1 then body end as body, neighbour
  from ${fenced(select)} as page(body, neighbour)`;

export const refuseIfLarge = (body: string | null) => {
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
export const page = <Q extends { page: number; per_page: number }, T extends Listed>(
  selection: Selection<T["data"][number]>,
  build: (given: Placeholders<Q>) => { order: SQL[]; find: PageFinder },
) => {
  const text = statement<Q & { offset: number | undefined }>((given) => {
    const { find, order } = build(given as Placeholders<Q>);
    const [current, size] = [given.page, sql`${given.per_page}::bigint`];
    const select = sql`${withClause(find.shared, selection.shared)}
      select '{"data":[' || ${elements(records(selection, fetched(selection.table, find.page(size, given.offset), order)))}
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
 * One page by cursor: no count, no offset. Reads one row more than it shows to know whether there are more (L4), and
 * goes no further than where all ids are settled (L6), which is known before its snapshot is taken.
 * @param build tells the order; its `ids` finds that many ids, ascending, all of them greater than the cursor and settled
 */
export const cursor = <Q extends { per_page: number }, T extends Listed>(
  selection: Selection<T["data"][number]>,
  build: (given: Placeholders<Q>) => { order: SQL[]; ids: (limit: SQL) => SQL },
) => {
  const first = readSettledId(selection.table);
  const text = statement<Q>((given) => {
    const { ids, order } = build(given);
    const size = sql`${given.per_page}::integer`;
    const select = sql`
      select '{"data":[' || coalesce(array_to_string(texts[1:${size}], ','), '')
        || '],"pagination":{"per_page":' || ${size} || ',"next_after_id":' || coalesce(next::text, 'null')
        || ',"has_more":' || (next is not null)::text || '}}' as body, next
      from (
        select array_agg(row_to_json(record)::text) as texts,
          case when count(*) > ${size} then (array_agg(id))[${size}] end as next
        from (${records(selection, fetched(selection.table, ids(sql`(${size} + 1)`), order))}) as record
      ) as read`;
    return tagged(limited(select, size));
  });
  return async (db: Db, q: Q): Promise<JsonText<T>> => {
    const { neighbour: next, ...finished } = oneRow(
      await db<Finished & { neighbour: string | null }>({ first, ...text(q) }),
    );
    refuseIfLarge(finished.body);
    return next === null ? finished : { ...finished, links: { next: ["after_id", next] } };
  };
};

/** All records as `{data: […]}`, without pagination. @param build a select in its order */
export const all = <Q extends object, T>(build: (given: Placeholders<Q>) => SQL) =>
  object<Q, T>((given) => sql`select '{"data":[' || ${elements(build(given))} || ']}' as body`);

/** The same of a small table that is read whole. */
export const everyRecord = <Q extends object, T extends Listed>(
  selection: Selection<T["data"][number]>,
  build: (given: Placeholders<Q>) => { where: SQL | undefined; order: SQL[] },
) =>
  all<Q, T>((given) => {
    const { where, order } = build(given);
    return records(
      selection,
      sql`select * from ${selection.table}${whereOf(where)} order by ${joined(order)}`,
    );
  });

/** What a statement answers as its `body`. */
export const object = <Q extends object, T>(build: (given: Placeholders<Q>) => SQL) => {
  const text = statement<Q>((given) => tagged(build(given)));
  return async (db: Db, q: Q): Promise<JsonText<T>> => oneRow(await db<Finished>(text(q)));
};

/** One record, or undefined when there is none. */
export const one = <Q extends object, T>(selection: Selection<T>, where: (given: Placeholders<Q>) => SQL) => {
  const text = statement<Q>((given) => {
    const row = sql`select * from ${selection.table}${whereOf(where(given))}`;
    return tagged(sql`${withClause(selection.shared)}
      select row_to_json(record)::text as body from (${records(selection, row)}) as record`);
  });
  return (db: Db, q: Q): Promise<JsonText<T> | undefined> => db<Finished>(text(q));
};

const oneRow = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error("an aggregate answered no row");
  return row;
};
