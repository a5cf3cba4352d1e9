import { asc, type Column, desc, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { equal, joined, numberLiteral, whereOf } from "./conditions.ts";
import {
  after,
  afterStart,
  inRange,
  lastInstant,
  monthOf,
  partialSums,
  type RollupQuery,
  sourceOf,
} from "./rollup.ts";
import { BLOCK } from "./rollup-table.ts";

export interface PageFinder {
  shared?: SQL;
  total: SQL;
  page: (limit: SQL, offset: SQL | undefined) => SQL;
}

const rowsOf = (table: PgTable, conditions: (SQL | undefined)[], order: SQL[], limit: SQL) =>
  sql`select * from ${table}${whereOf(...conditions)} order by ${joined(order)} limit ${limit}`;

/** `ids` skips rows in an index-only scan, so only the rows of the page are read from the table. */
const fetched = (table: PgTable, ids: SQL, order: SQL[]) =>
  sql`select ${table}.* from (${ids}) as found join ${table} using (id) order by ${joined(order)}`;

const idOf = (table: PgTable) => getTableColumns(table).id as Column;

/** For a small table: skips with OFFSET and counts with count(*). */
export const byOffset = (table: PgTable, where: SQL | undefined, order: SQL[]): PageFinder => ({
  total: sql`select count(*) from ${table}${whereOf(where)}`,
  page: (limit, offset) => {
    if (offset === undefined) return rowsOf(table, [where], order, limit);
    const ids = sql`select id from ${table}${whereOf(where)} order by ${joined(order)} limit ${limit} offset ${offset}`;
    return fetched(table, ids, order);
  },
});

const count = (summed: RollupQuery) =>
  sql`select coalesce(sum(records), 0)::bigint from (${partialSums(summed, [])}) as parts`;

/** For a table ordered by time. The rollup finds the day of the first row; an index scan starts at that day's end. */
export const byTime = (table: PgTable, at: SQLWrapper, summed: RollupQuery): PageFinder => {
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
        // `+ interval '1 month'` overflows in the last month of Postgres: take 31 days, then filter by month.
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
        return rowsOf(table, [equal(filters), ...inRange(summed, sql`${at}`)], order, limit);
      // No condition for the end of the range: `skip` includes the rows of that day that are after the end.
      const fromThere = [...afterStart(summed), sql`at <= (select ends from day)`];
      const ids = sql`with ${place(offset)} select id from ${sourceOf(rollup)}${whereOf(equal(filters), ...fromThere)}
        order by at desc, id desc limit ${limit} offset (select skip from day)`;
      return fetched(table, ids, order);
    },
  };
};

const idsOf = (summed: RollupQuery, ...conditions: SQL[]) =>
  sql`select id from ${sourceOf(summed.rollup)}${whereOf(equal(summed.filters), ...inRange(summed), ...conditions)}`;

const hasRange = ({ range }: RollupQuery) => Boolean(range.data_inicio ?? range.data_fim);

const firstId = (block: SQL) => sql`(${block}) * ${numberLiteral(BLOCK)}`;

const blocks = (summed: RollupQuery, direction: SQL) => sql`blocks as materialized (
  select block, sum(records) as records, sum(sum(records)) over (order by block ${direction}) - sum(records) as before
  from (${partialSums(summed, ["block"])}) as parts group by block having sum(records) > 0)`;

/** For a table ordered by id, newest first. The rollup finds the blocks of the page; an id scan reads only these. */
export const byId = (table: PgTable, summed: RollupQuery): PageFinder => ({
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

const SETTLED_ID = "salon.settled_id";

/** Reads the highest id up to which all ids are committed or rolled back (L6). The page's snapshot must be newer. */
export const readSettledId = (table: PgTable): string =>
  `select set_config('${SETTLED_ID}', settled_id('${getTableConfig(table).name}')::text, true)`;

/** The settled rows after a cursor, ascending. With a range, only the blocks of the next rows are read. */
export const afterId = (table: PgTable, summed: RollupQuery, cursor: SQL, limit: SQL): SQL => {
  const order = [asc(idOf(table))];
  const settled = sql.raw(`current_setting('${SETTLED_ID}')::bigint`);
  const start = sql`id > ${cursor} and id <= ${settled}`;
  if (!hasRange(summed)) return rowsOf(table, [equal(summed.filters), start], order, limit);
  const mine = sql`${cursor}::bigint / ${numberLiteral(BLOCK)}`;
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
