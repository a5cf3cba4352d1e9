import { and, asc, type Column, desc, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { AnyOf } from "./any-of.ts";
import {
  joinWithCommas,
  matchFilters,
  numberLiteral,
  type ScopedFilters,
  whereClause,
} from "./conditions.ts";
import {
  fromStart,
  inRange,
  instantAfter,
  lastInstant,
  monthOf,
  partialSums,
  type RollupQuery,
  sourceOf,
} from "./rollup.ts";
import { BLOCK } from "./rollup-table.ts";

/** SQL for a page. `shared`: CTEs that both queries use. `offset` is undefined on the first page. */
export interface PageFinder {
  shared?: SQL;
  total: SQL;
  page: (limit: SQL, offset: SQL | undefined) => SQL;
}

/** For a list with pages and a cursor. `after` is SQL for the settled rows above a cursor, lowest id first (L4). */
export interface CursorFinder extends PageFinder {
  after: (cursor: SQL, limit: SQL) => SQL;
}

const selectRows = (table: PgTable, conditions: (SQL | undefined)[], order: SQL[], limit: SQL) =>
  sql`select * from ${table}${whereClause(...conditions)} order by ${joinWithCommas(order)} limit ${limit}`;

/** Reads the rows of `ids`, which should be an index-only scan, so that skipped rows are never fetched. */
const joinRows = (table: PgTable, ids: SQL, order: SQL[]) =>
  sql`select ${table}.* from (${ids}) as page_ids join ${table} using (id) order by ${joinWithCommas(order)}`;

export const idColumnOf = (table: PgTable) => getTableColumns(table).id as Column;

/** For a small table: skips with OFFSET and counts with count(*). */
export const byOffset = (
  table: PgTable,
  filters: ScopedFilters,
  condition: SQL | undefined,
  order: SQL[],
): PageFinder => ({
  total: sql`select count(*) from ${table}${whereClause(matchFilters(filters), condition)}`,
  page: (limit, offset) => {
    const where = [matchFilters(filters), condition];
    if (offset === undefined) return selectRows(table, where, order, limit);
    const ids = sql`select id from ${table}${whereClause(...where)} order by ${joinWithCommas(order)} limit ${limit} offset ${offset}`;
    return joinRows(table, ids, order);
  },
});

/** The column that may have several values: units, or the forms of a text. */
const columnOfSeveral = (filters: ScopedFilters): string | undefined =>
  Object.entries(filters).find(([, value]) => value instanceof AnyOf && value.areSeveral)?.[0];

/** Reads each value from its own index: the index of all values could walk past millions of rows of others. */
const idsOfEach = (
  { rollup, filters }: RollupQuery,
  name: string,
  conditions: SQL[],
  order: SQL,
  limit: SQL,
  skip?: SQL,
): SQL => {
  const column = sql.identifier(name);
  // Omits values without a row: where an index lacks a filter, such a value would be read to its end.
  const values = sql`select ${column} as each_value from ${rollup}${whereClause(sql`grain = 'all'`, matchFilters(filters))} group by ${column} having sum(records) > 0`;
  const ofEach = whereClause(matchFilters({ ...filters, [name]: sql`each_value` }), ...conditions);
  const ids = sql`select id, at from ${sourceOf(rollup)}${ofEach} order by ${order} limit ${limit}${skip ? sql` + ${skip}` : sql``}`;
  return sql`select id from (${values}) as several, lateral (${ids}) as each_ids order by ${order} limit ${limit}${skip ? sql` offset ${skip}` : sql``}`;
};

/** The first rows of several values of a column, or undefined if there are not several. */
const firstRowsOfEach = (
  table: PgTable,
  query: RollupQuery,
  conditions: SQL[],
  order: SQL[],
  idOrder: SQL,
  limit: SQL,
): SQL | undefined => {
  const name = columnOfSeveral(query.filters);
  if (name === undefined) return undefined;
  const ids = idsOfEach(query, name, conditions, idOrder, limit);
  // `limit 1` keeps Postgres from a join that scans the table.
  return sql`select ${table}.* from (${ids}) as page_ids, lateral (select * from ${table} where id = page_ids.id limit 1) as ${table} order by ${joinWithCommas(order)}`;
};

const hasRange = ({ range }: Pick<RollupQuery, "range">) => Boolean(range.data_inicio ?? range.data_fim);

/**
 * For a table ordered by time, with a filter that has an index of its own. Skips with OFFSET.
 * @param totals a rollup whose rows of all time count the filters; undefined if there is none
 */
export const byOwnIndex = (
  table: PgTable,
  at: SQLWrapper,
  { filters, range }: Pick<RollupQuery, "filters" | "range">,
  totals: PgTable | undefined,
): PageFinder => {
  const order = [desc(at), desc(idColumnOf(table))];
  const found = byOffset(table, filters, and(...inRange({ range }, sql`${at}`)), order);
  // With an offset, ids are selected first: an index-only scan skips the rows of other units.
  const first = columnOfSeveral(filters) === undefined ? undefined : sql`0`;
  const page: PageFinder["page"] = (limit, offset) => found.page(limit, offset ?? first);
  if (totals === undefined || hasRange({ range })) return { ...found, page };
  const where = whereClause(sql`grain = 'all'`, sql`starts_on = '-infinity'`, matchFilters(filters));
  return { total: sql`select coalesce(sum(records), 0)::bigint from ${totals}${where}`, page };
};

const countRecords = (query: RollupQuery) =>
  sql`select coalesce(sum(records), 0)::bigint from (${partialSums(query, [])}) as parts`;

/** For a table ordered by time. The rollup finds the day of the first row; an index scan starts at its end. */
export const byTime = (table: PgTable, at: SQLWrapper, query: RollupQuery): PageFinder => {
  const { rollup, filters, range } = query;
  const order = [desc(at), desc(idColumnOf(table))];
  const locateDay = (offset: SQL) => sql`
    target as materialized (select ${offset}::bigint${range.data_fim ? sql` + (${countRecords({ ...query, range: { data_inicio: instantAfter(range.data_fim) } })})` : sql``} as n),
    months as (
      select starts_on, sum(records) as records, sum(sum(records)) over (order by starts_on desc) - sum(records) as above
      from ${rollup}${whereClause(sql`grain = 'month'`, matchFilters(filters))} group by starts_on),
    month as materialized (
      select starts_on, above from months where above <= (select n from target) and above + records > (select n from target)),
    days as (
      select starts_on, sum(records) as records,
        (select above from month) + sum(sum(records)) over (order by starts_on desc) - sum(records) as above
      from ${rollup}${whereClause(
        sql`grain = 'day'`,
        matchFilters(filters),
        // `+ interval '1 month'` overflows in the last month of Postgres: take 31 days, then filter by month.
        sql`starts_on between (select starts_on from month) and (select starts_on + 30 from month)`,
        sql`${monthOf(sql`starts_on`)} = (select starts_on from month)`,
      )} group by starts_on),
    day as materialized (
      select ${lastInstant(sql`starts_on`)} as ends, (select n from target) - above as skip
      from days where above <= (select n from target) and above + records > (select n from target))`;
  return {
    total: countRecords(query),
    page: (limit, offset) => {
      if (offset === undefined)
        return (
          firstRowsOfEach(table, query, inRange(query), order, sql`at desc, id desc`, limit) ??
          selectRows(table, [matchFilters(filters), ...inRange(query, sql`${at}`)], order, limit)
        );
      // `data_fim` needs no condition: `n` includes the rows after it, so OFFSET skips those on the day found.
      const conditions = [...fromStart(query), sql`at <= (select ends from day)`];
      const skip = sql`(select skip from day)`;
      const name = columnOfSeveral(filters);
      const ids = name
        ? idsOfEach(query, name, conditions, sql`at desc, id desc`, limit, skip)
        : sql`select id from ${sourceOf(rollup)}${whereClause(matchFilters(filters), ...conditions)}
        order by at desc, id desc limit ${limit} offset ${skip}`;
      return joinRows(table, sql`with ${locateDay(offset)} ${ids}`, order);
    },
  };
};

const idsOf = (query: RollupQuery, ...conditions: SQL[]) =>
  sql`select id from ${sourceOf(query.rollup)}${whereClause(matchFilters(query.filters), ...inRange(query), ...conditions)}`;

const firstId = (block: SQL) => sql`(${block}) * ${numberLiteral(BLOCK)}`;

const blocks = (query: RollupQuery, direction: SQL) => sql`blocks as materialized (
  select block, sum(records) as records, sum(sum(records)) over (order by block ${direction}) - sum(records) as before
  from (${partialSums(query, ["block"])}) as parts group by block having sum(records) > 0)`;

/** For a table ordered by id, newest first. The rollup finds the page's blocks. Only these are scanned. */
export const byId = (table: PgTable, query: RollupQuery): CursorFinder => ({
  shared: blocks(query, sql`desc`),
  total: sql`select coalesce(sum(records), 0)::bigint from blocks`,
  page: (limit, offset) => {
    const order = [desc(idColumnOf(table))];
    const skipped = offset ?? sql`0`;
    const end = sql`id >= ${firstId(sql`select min(block) from blocks where before < ${skipped}::bigint + ${limit}`)}`;
    if (offset === undefined && !hasRange(query))
      return (
        firstRowsOfEach(table, query, [end], order, sql`id desc`, limit) ??
        selectRows(table, [matchFilters(query.filters), end], order, limit)
      );
    const start = (column: SQL) =>
      sql`(select ${column} from blocks where before <= ${skipped}::bigint and before + records > ${skipped}::bigint)`;
    const ids = idsOf(query, sql`id < ${firstId(sql`select ${start(sql`block`)} + 1`)}`, end);
    const skip = start(sql`${skipped}::bigint - before`);
    return joinRows(table, sql`${ids} order by id desc limit ${limit} offset ${skip}`, order);
  },
  after: (cursor, limit) => afterId(table, query, cursor, limit),
});

const SETTLED_ID = "salon.settled_id";

/** Returns SQL that stores the settled id (L6) for this transaction. Run it before the query of the page. */
export const storeSettledId = (table: PgTable): string =>
  `select set_config('${SETTLED_ID}', settled_id('${getTableConfig(table).name}')::text, true)`;

const settledAfter = (cursor: SQL) =>
  sql`id > ${cursor} and id <= ${sql.raw(`current_setting('${SETTLED_ID}')::bigint`)}`;

/** The settled rows after a cursor, ascending. With a range, only the blocks of the next rows are read. */
const afterId = (table: PgTable, query: RollupQuery, cursor: SQL, limit: SQL): SQL => {
  const order = [asc(idColumnOf(table))];
  const start = settledAfter(cursor);
  if (!hasRange(query))
    return (
      firstRowsOfEach(table, query, [start], order, sql`id`, limit) ??
      selectRows(table, [matchFilters(query.filters), start], order, limit)
    );
  const cursorBlock = sql`${cursor}::bigint / ${numberLiteral(BLOCK)}`;
  const lastBlock = sql`select min(block) from blocks where block > ${cursorBlock} and before + records >= ${limit} + (
      select coalesce(sum(records), 0) from blocks where block <= ${cursorBlock})`;
  const ids = idsOf(
    query,
    start,
    sql`id >= ${firstId(sql`select min(block) from blocks where block >= ${cursorBlock}`)}`,
    sql`id < ${firstId(sql`select coalesce((${lastBlock}), max(block)) + 1 from blocks`)}`,
  );
  return joinRows(table, sql`with ${blocks(query, sql`asc`)} ${ids} order by id limit ${limit}`, order);
};

/** As `byId`, for a condition that no rollup counts. A page skips with OFFSET and counts with count(*). */
export const byIdWithoutRollup = (
  table: PgTable,
  filters: ScopedFilters,
  condition: SQL | undefined,
): CursorFinder => ({
  ...byOffset(table, filters, condition, [desc(idColumnOf(table))]),
  after: (cursor, limit) =>
    selectRows(
      table,
      [matchFilters(filters), condition, settledAfter(cursor)],
      [asc(idColumnOf(table))],
      limit,
    ),
});

/**
 * For a table ordered by a date, earliest first, then by id. Rows without a date are last: null or -infinity (L10). Skips
 * with OFFSET and counts with count(*).
 * @param date a column whose index with `id` has the rows in order
 */
export const byDate = (
  table: PgTable,
  date: Column,
  filters: ScopedFilters,
  condition: SQL | undefined,
): PageFinder => {
  const id = idColumnOf(table);
  const hasDate = sql`${date} > '-infinity'`;
  const lacksDate = sql`(${date} is null or ${date} = '-infinity')`;
  const idsWith = (dated: SQL) =>
    sql`select id from ${table}${whereClause(matchFilters(filters), condition, dated)}`;
  return {
    shared: sql`counts as materialized (
      select count(*) as total, count(*) filter (where ${hasDate}) as dated
      from ${table}${whereClause(matchFilters(filters), condition)})`,
    total: sql`select total from counts`,
    // The index has rows dated -infinity first. So rows without a date are read separately, if the page needs any.
    page: (limit, offset) => {
      const skip = sql`${offset ?? sql`0`}::bigint`;
      const ids = sql`
        (${idsWith(hasDate)} order by ${date}, ${id} limit ${limit} offset ${skip})
        union all
        (${idsWith(lacksDate)} order by ${id}
          limit (select least(${limit}, greatest(${skip} + ${limit} - dated, 0)) from counts)
          offset (select greatest(${skip} - dated, 0) from counts))`;
      return joinRows(table, ids, [sql`nullif(${date}, '-infinity')`, asc(id)]);
    },
  };
};
