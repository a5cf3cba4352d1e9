import { asc, type Column, desc, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { equal, joined, number, whereOf } from "./conditions.ts";
import {
  after,
  afterStart,
  lastInstant,
  monthOf,
  partialSums,
  type Summed,
  sourceOf,
  within,
} from "./rollup.ts";
import { BLOCK } from "./rollup-table.ts";

/** How a list finds the rows of a page, and counts all it could show. */
export interface PageFinder {
  /** Common table expressions that the others read from. */
  shared?: SQL;
  /** How many rows meet the filters. */
  total: SQL;
  /** The rows of one page, in the list's order. @param offset left out on the first page */
  page: (limit: SQL, offset: SQL | undefined) => SQL;
}

const rowsOf = (table: PgTable, conditions: (SQL | undefined)[], order: SQL[], limit: SQL) =>
  sql`select * from ${table}${whereOf(...conditions)} order by ${joined(order)} limit ${limit}`;

/** The rows that have these ids. What is skipped on the way to a page is read in an index alone; only its own rows are fetched. */
const fetched = (table: PgTable, ids: SQL, order: SQL[]) =>
  sql`select ${table}.* from (${ids}) as found join ${table} using (id) order by ${joined(order)}`;

const idOf = (table: PgTable) => getTableColumns(table).id as Column;

/** For a small table: an index is walked from its start, and all of it is counted. */
export const byWalking = (table: PgTable, where: SQL | undefined, order: SQL[]): PageFinder => ({
  total: sql`select count(*) from ${table}${whereOf(where)}`,
  page: (limit, offset) => {
    if (offset === undefined) return rowsOf(table, [where], order, limit);
    const ids = sql`select id from ${table}${whereOf(where)} order by ${joined(order)} limit ${limit} offset ${offset}`;
    return fetched(table, ids, order);
  },
});

const count = (summed: Summed) =>
  sql`select coalesce(sum(records), 0)::bigint from (${partialSums(summed, [])}) as parts`;

/**
 * For a table ordered by time, latest first: the sums tell which month and which day hold the row a page begins with,
 * and an index is walked from that day's end.
 * @param at what the table is ordered by
 */
export const byTime = (table: PgTable, at: SQLWrapper, summed: Summed): PageFinder => {
  const { rollup, filters, range } = summed;
  const order = [desc(at), desc(idOf(table))];
  const place = (offset: SQL) => sql`
    sought as materialized (select ${offset}::bigint${range.data_fim ? sql` + (${count({ ...summed, range: { data_inicio: after(range.data_fim) } })})` : sql``} as n),
    months as (
      select starts_on, sum(records) as records, sum(sum(records)) over (order by starts_on desc) - sum(records) as above
      from ${rollup}${whereOf(sql`grain = 'month'`, equal(filters))} group by starts_on),
    month as materialized (
      select starts_on, above from months where above <= (select n from sought) and above + records > (select n from sought)),
    days as (
      select starts_on, sum(records) as records,
        (select above from month) + sum(sum(records)) over (order by starts_on desc) - sum(records) as above
      from ${rollup}${whereOf(
        sql`grain = 'day'`,
        equal(filters),
        // The last month has no next month as a timestamp: 31 days are looked at, filtered by month.
        sql`starts_on between (select starts_on from month) and (select starts_on + 30 from month)`,
        sql`${monthOf(sql`starts_on`)} = (select starts_on from month)`,
      )} group by starts_on),
    day as materialized (
      select ${lastInstant(sql`starts_on`)} as ends, (select n from sought) - above as skip
      from days where above <= (select n from sought) and above + records > (select n from sought))`;
  return {
    total: count(summed),
    page: (limit, offset) => {
      if (offset === undefined)
        return rowsOf(table, [equal(filters), ...within(summed, sql`${at}`)], order, limit);
      // The range's end is no condition here: what lies after it in that day is among the rows that are skipped.
      const fromThere = [...afterStart(summed), sql`at <= (select ends from day)`];
      const ids = sql`with ${place(offset)} select id from ${sourceOf(rollup)}${whereOf(equal(filters), ...fromThere)}
        order by at desc, id desc limit ${limit} offset (select skip from day)`;
      return fetched(table, ids, order);
    },
  };
};

const idsOf = (summed: Summed, ...conditions: SQL[]) =>
  sql`select id from ${sourceOf(summed.rollup)}${whereOf(equal(summed.filters), ...within(summed), ...conditions)}`;

const hasRange = ({ range }: Summed) => Boolean(range.data_inicio ?? range.data_fim);

const firstId = (block: SQL) => sql`(${block}) * ${number(BLOCK)}`;

/** How many rows each block of ids holds, with how many there are before it in the list's direction. */
const blocks = (summed: Summed, direction: SQL) => sql`blocks as materialized (
  select block, sum(records) as records, sum(sum(records)) over (order by block ${direction}) - sum(records) as before
  from (${partialSums(summed, ["block"])}) as parts group by block having sum(records) > 0)`;

/**
 * For a table ordered by id, newest first, whatever its range is over: the sums tell which blocks of ids hold the
 * page, and the primary key is walked through those.
 */
export const byId = (table: PgTable, summed: Summed): PageFinder => ({
  shared: blocks(summed, sql`desc`),
  total: sql`select coalesce(sum(records), 0)::bigint from blocks`,
  page: (limit, offset) => {
    const order = [desc(idOf(table))];
    const skipped = offset ?? sql`0`;
    const end = sql`id >= ${firstId(sql`select min(block) from blocks where before < ${skipped}::bigint + ${limit}`)}`;
    if (offset === undefined && !hasRange(summed))
      return rowsOf(table, [equal(summed.filters), end], order, limit);
    const start = (column: SQL) =>
      sql`(select ${column} from blocks where before <= ${skipped}::bigint and before + records > ${skipped}::bigint)`;
    const ids = idsOf(summed, sql`id < ${firstId(sql`select ${start(sql`block`)} + 1`)}`, end);
    const skip = start(sql`${skipped}::bigint - before`);
    return fetched(table, sql`${ids} order by id desc limit ${limit} offset ${skip}`, order);
  },
});

/** The setting that carries the settled id from one statement of a trip to the next. */
const SETTLED_ID = "salon.settled_id";

/**
 * Reads the highest id below which everything is decided (migrations), for `afterId` to go no further. It is a statement
 * of its own that runs before: what the page sees must be newer than what is known to be settled (L6).
 */
export const readSettledId = (table: PgTable): string =>
  `select set_config('${SETTLED_ID}', ${getTableConfig(table).name}_settled_id()::text, true)`;

/** The rows after a cursor, ascending, as far as they are settled; a range leaves the blocks that hold the next of them. */
export const afterId = (table: PgTable, summed: Summed, cursor: SQL, limit: SQL): SQL => {
  const order = [asc(idOf(table))];
  const settled = sql.raw(`current_setting('${SETTLED_ID}')::bigint`);
  const start = sql`id > ${cursor} and id <= ${settled}`;
  if (!hasRange(summed)) return rowsOf(table, [equal(summed.filters), start], order, limit);
  const mine = sql`${cursor}::bigint / ${number(BLOCK)}`;
  const enough = sql`select min(block) from blocks where block > ${mine} and before + records >= ${limit} + (
      select coalesce(sum(records), 0) from blocks where block <= ${mine})`;
  const ids = idsOf(
    summed,
    start,
    sql`id >= ${firstId(sql`select min(block) from blocks where block >= ${mine}`)}`,
    sql`id < ${firstId(sql`select coalesce((${enough}), max(block)) + 1 from blocks`)}`,
  );
  return fetched(table, sql`with ${blocks(summed, sql`asc`)} ${ids} order by id limit ${limit}`, order);
};
