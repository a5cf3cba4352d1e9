import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { equal, joined, number, whereOf } from "./conditions.ts";
import { after, afterStart, lastInstant, partialSums, type Summed, sourceOf, within } from "./rollup.ts";
import { BLOCK } from "./rollup-table.ts";

/** How a list finds the rows of a page, and counts all it could show. */
export interface PageFinder {
  /** Common table expressions that the others read from. */
  shared?: SQL;
  /** How many rows meet the filters. */
  total: SQL;
  /** The ids of one page. @param offset left out on the first page */
  page: (limit: SQL, offset: SQL | undefined) => SQL;
}

/** For a small table: an index is walked from its start, and all of it is counted. */
export const byWalking = (table: PgTable, where: SQL | undefined, order: SQL[]): PageFinder => ({
  total: sql`select count(*) from ${table}${whereOf(where)}`,
  page: (limit, offset) =>
    sql`select id from ${table}${whereOf(where)} order by ${joined(order)} limit ${limit}${offset ? sql` offset ${offset}` : sql``}`,
});

const count = (summed: Summed) =>
  sql`select coalesce(sum(records), 0)::bigint from (${partialSums(summed, [])}) as parts`;

/**
 * For a table ordered by time, latest first: the sums tell which month and which day hold the row a page begins with,
 * and an index is walked from that day's end.
 */
export const byTime = (summed: Summed): PageFinder => {
  const { rollup, filters, range } = summed;
  const source = sourceOf(rollup);
  const ids = (limit: SQL, conditions: SQL[], skip = sql``) =>
    sql`select id from ${source}${whereOf(equal(filters), ...conditions)} order by at desc, id desc limit ${limit}${skip}`;
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
        sql`starts_on between (select starts_on from month)
          and (select (starts_on + interval '1 month' - interval '1 day')::date from month)`,
      )} group by starts_on),
    day as materialized (
      select ${lastInstant(sql`starts_on`)} as ends, (select n from sought) - above as skip
      from days where above <= (select n from sought) and above + records > (select n from sought))`;
  return {
    total: count(summed),
    page: (limit, offset) => {
      if (offset === undefined) return ids(limit, within(summed));
      // The range's end is no condition here: what lies after it in that day is among the rows that are skipped.
      const fromThere = [...afterStart(summed), sql`at <= (select ends from day)`];
      return sql`with ${place(offset)} ${ids(limit, fromThere, sql` offset (select skip from day)`)}`;
    },
  };
};

const rowsOf = (summed: Summed, ...conditions: SQL[]) =>
  sql`select id from ${sourceOf(summed.rollup)}${whereOf(equal(summed.filters), ...within(summed), ...conditions)}`;

const firstId = (block: SQL) => sql`(${block}) * ${number(BLOCK)}`;

/** How many rows each block of ids holds, with how many there are before it in the list's direction. */
const blocks = (summed: Summed, direction: SQL) => sql`blocks as materialized (
  select block, sum(records) as records, sum(sum(records)) over (order by block ${direction}) - sum(records) as before
  from (${partialSums(summed, ["block"])}) as parts group by block having sum(records) > 0)`;

/**
 * For a table ordered by id, newest first, whatever its range is over: the sums tell which blocks of ids hold the
 * page, and the primary key is walked through those.
 */
export const byId = (summed: Summed): PageFinder => ({
  shared: blocks(summed, sql`desc`),
  total: sql`select coalesce(sum(records), 0)::bigint from blocks`,
  page: (limit, offset = sql`0`) => {
    const start = (column: SQL) =>
      sql`(select ${column} from blocks where before <= ${offset}::bigint and before + records > ${offset}::bigint)`;
    const rows = rowsOf(
      summed,
      sql`id < ${firstId(sql`select ${start(sql`block`)} + 1`)}`,
      sql`id >= ${firstId(sql`select min(block) from blocks where before < ${offset}::bigint + ${limit}`)}`,
    );
    return sql`${rows} order by id desc limit ${limit} offset ${start(sql`${offset}::bigint - before`)}`;
  },
});

/**
 * Reads the highest id below which everything is decided (migrations), for `afterId` to go no further. It is a statement
 * of its own that runs before: what the page sees must be newer than what is known to be settled (L6).
 */
export const readSettledId = (table: PgTable): string =>
  `select set_config('salon.settled_id', ${getTableConfig(table).name}_settled_id()::text, true)`;

/** The ids after a cursor, ascending, as far as they are settled; a range leaves the blocks that hold the next of them. */
export const afterId = (summed: Summed, cursor: SQL, limit: SQL): SQL => {
  const start = sql`id > ${cursor} and id <= current_setting('salon.settled_id')::bigint`;
  const end = sql` order by id limit ${limit}`;
  if (!summed.range.data_inicio && !summed.range.data_fim) return sql`${rowsOf(summed, start)}${end}`;
  const mine = sql`${cursor}::bigint / ${number(BLOCK)}`;
  const enough = sql`select min(block) from blocks where block > ${mine} and before + records >= ${limit} + (
      select coalesce(sum(records), 0) from blocks where block <= ${mine})`;
  const rows = rowsOf(
    summed,
    start,
    sql`id >= ${firstId(sql`select min(block) from blocks where block >= ${mine}`)}`,
    sql`id < ${firstId(sql`select coalesce((${enough}), max(block)) + 1 from blocks`)}`,
  );
  return sql`with ${blocks(summed, sql`asc`)} ${rows}${end}`;
};
