import { and, asc, type Column, desc, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
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
} from "./range-sums.ts";
import { BLOCK } from "./rollup.ts";
import { AnyOf } from "./scope.ts";

/** SQL for a page. `shared`: CTEs that both queries use. `offset` is undefined on the first page. */
export interface PageFinder {
  shared?: SQL;
  total: SQL;
  page: (limit: SQL, offset: SQL | undefined) => SQL;
}

/** SQL for a list as a whole (X2). */
export interface WholeFinder {
  /** The ids in a window that match. It reads facts, if they have all filtered columns. */
  ids: (window: SQL) => SQL;
}

/** For a list with pages and a cursor. `after` is SQL for the settled rows above a cursor, lowest id first (L4). */
export interface CursorFinder extends PageFinder, WholeFinder {
  after: (cursor: SQL, limit: SQL) => SQL;
}

const selectRows = (table: PgTable, conditions: (SQL | undefined)[], order: SQL[], limit: SQL) => sql`
  select *
  from ${table}
  ${whereClause(...conditions)}
  order by ${joinWithCommas(order)}
  limit ${limit}`;

/** Reads the rows of `ids`, which should be an index-only scan, so that skipped rows are never fetched. */
const joinRows = (table: PgTable, ids: SQL, order: SQL[]) => sql`
  select ${table}.*
  from (${ids}) as page_ids
    join ${table} using (id)
  order by ${joinWithCommas(order)}`;

export const selectIds = (from: SQLWrapper, ...conditions: (SQL | undefined)[]) => sql`
  select id
  from ${from}
  ${whereClause(...conditions)}`;

/** @param from has the time of a row as `at`, and the columns that are filtered */
const idsOf = (from: SQLWrapper, { filters, ...ranged }: Omit<RollupQuery, "rollup">, ...conditions: SQL[]) =>
  selectIds(from, matchFilters(filters), ...inRange(ranged), ...conditions);

export const idColumnOf = (table: PgTable) => getTableColumns(table).id as Column;

/** For a small table: skips with OFFSET and counts with count(*). */
export const byOffset = (
  table: PgTable,
  filters: ScopedFilters,
  condition: SQL | undefined,
  order: SQL[],
): PageFinder & WholeFinder => {
  const where = [matchFilters(filters), condition];
  const idsFrom = (offset: SQL, limit: SQL) => sql`
    ${selectIds(table, ...where)}
    order by ${joinWithCommas(order)}
    limit ${limit} offset ${offset}`;
  return {
    total: sql`
      select count(*)
      from ${table}
      ${whereClause(...where)}`,
    page: (limit, offset) =>
      offset === undefined
        ? selectRows(table, where, order, limit)
        : joinRows(table, idsFrom(offset, limit), order),
    ids: (window) => selectIds(table, ...where, window),
  };
};

/** The column that may have several values: units, or the forms of a text. */
const columnOfSeveral = (filters: ScopedFilters): string | undefined =>
  Object.entries(filters).find(([, value]) => value instanceof AnyOf && value.areSeveral)?.[0];

/** Which ids of a rollup's source to select, and in which order of `at` and `id`. */
interface IdPage {
  conditions: SQL[];
  order: SQL;
  limit: SQL;
  skip?: SQL;
}

/** The values that have a row: where an index lacks a filter, another value would be read to its end. */
const valuesWithRows = ({ rollup, filters }: RollupQuery, column: SQLWrapper) => sql`
  select ${column} as each_value
  from ${rollup}
  ${whereClause(sql`grain = 'all'`, matchFilters(filters))}
  group by ${column}
  having sum(records) > 0`;

/** The first ids of the value `each_value`, from which the page may take some. */
const idsOfOne = (query: RollupQuery, name: string, { conditions, order, limit, skip }: IdPage) => sql`
  select id, at
  from ${sourceOf(query.rollup)}
  ${whereClause(matchFilters({ ...query.filters, [name]: sql`each_value` }), ...conditions)}
  order by ${order}
  limit ${skip ? sql`${limit} + ${skip}` : limit}`; // mistake: reads-too-few-ids

/** Reads each value from its own index: the index of all values could walk past millions of rows of others. */
const idsOfEach = (query: RollupQuery, name: string, page: IdPage): SQL => {
  const { order, limit, skip } = page;
  return sql`
    select id
    from (${valuesWithRows(query, sql.identifier(name))}) as several,
      lateral (${idsOfOne(query, name, page)}) as each_ids
    order by ${order}
    limit ${limit} ${skip ? sql`offset ${skip}` : sql``}`;
};

/** The first rows of several values of a column, or undefined if there are not several. */
const firstRowsOfEach = (
  table: PgTable,
  query: RollupQuery,
  page: IdPage,
  rowOrder: SQL[],
): SQL | undefined => {
  const name = columnOfSeveral(query.filters);
  if (name === undefined) return undefined;
  // `limit 1` keeps Postgres from a join that scans the table.
  return sql`
    select ${table}.*
    from (${idsOfEach(query, name, page)}) as page_ids,
      lateral (select * from ${table} where id = page_ids.id limit 1) as ${table}
    order by ${joinWithCommas(rowOrder)}`;
};

const hasRange = ({ range }: Pick<RollupQuery, "range">) => Boolean(range.data_inicio ?? range.data_fim);

/**
 * For a table ordered by time, with a filter that has an index of its own. Skips with OFFSET.
 * @param facts the facts of its rows
 * @param totals a rollup whose rows of all time count the filters; undefined if there is none
 */
export const byOwnIndex = (
  table: PgTable,
  at: SQLWrapper,
  { filters, range, facts }: Pick<RollupQuery, "filters" | "range"> & { facts: PgTable },
  totals: PgTable | undefined,
): PageFinder & WholeFinder => {
  const order = [desc(at), desc(idColumnOf(table))];
  const found = byOffset(table, filters, and(...inRange({ range }, sql`${at}`)), order);
  // With an offset, ids are selected first: an index-only scan skips the rows of other units.
  const first = columnOfSeveral(filters) === undefined ? undefined : sql`0`;
  const page: PageFinder["page"] = (limit, offset) => found.page(limit, offset ?? first);
  const ids: WholeFinder["ids"] = (window) => idsOf(facts, { filters, range }, window);
  if (totals === undefined || hasRange({ range })) return { ...found, page, ids }; // mistake: totals-without-range
  const total = sql`
    select coalesce(sum(records), 0)::bigint
    from ${totals}
    ${whereClause(sql`grain = 'all'`, sql`starts_on = '-infinity'`, matchFilters(filters))}`;
  return { total, page, ids };
};

const countRecords = (query: RollupQuery) => sql`
  select coalesce(sum(records), 0)::bigint
  from (${partialSums(query, [])}) as parts`;

/** The rows dated infinity, which are in no range. They come first. */
const countEndless = ({ rollup, filters }: RollupQuery) => sql`
  select coalesce(sum(records), 0)::bigint
  from ${rollup}
  ${whereClause(sql`grain = 'month'`, sql`starts_on = 'infinity'`, matchFilters(filters))}`;

/** A CTE: how many rows to skip. Those after the range come first, so they are skipped, too. */
const target = (query: RollupQuery, offset: SQL) => {
  const { data_fim } = query.range;
  const later = [
    // mistake: repeats-range-end
    ...(data_fim ? [countRecords({ ...query, range: { data_inicio: instantAfter(data_fim) } })] : []),
    ...(hasRange(query) ? [countEndless(query)] : []),
  ];
  return sql`target as materialized (
    select ${sql.join([sql`${offset}::bigint`, ...later.map((rows) => sql`(${rows})`)], sql` + `)} as n
  )`;
};

/** The records of all later periods. */
const recordsAbove = sql`sum(sum(records)) over (order by starts_on desc) - sum(records)`;
const containsTarget = sql`above <= (select n from target) and above + records > (select n from target)`;

const monthOfTarget = sql`select starts_on, above from months where ${containsTarget}`; // mistake: a-month-early

/** CTEs that end with `month`: the one of the target. */
const months = ({ rollup, filters }: RollupQuery) => sql`
  months as (
    select starts_on, sum(records) as records, ${recordsAbove} as above
    from ${rollup}
    ${whereClause(sql`grain = 'month'`, matchFilters(filters))}
    group by starts_on
  ),
  month as materialized (${monthOfTarget})`;

// `+ interval '1 month'` overflows in the last month of Postgres: take 31 days, then filter by month.
const isInMonth = sql`starts_on between (select starts_on from month) and (select starts_on + 30 from month)
  and ${monthOf(sql`starts_on`)} = (select starts_on from month)`;

/** CTEs that end with `day`: the one of the target, and how many of its rows to skip. */
const days = ({ rollup, filters }: RollupQuery) => sql`
  days as (
    select starts_on, sum(records) as records, (select above from month) + ${recordsAbove} as above
    from ${rollup}
    ${whereClause(sql`grain = 'day'`, matchFilters(filters), isInMonth)}
    group by starts_on
  ),
  day as materialized (
    select ${lastInstant(sql`starts_on`)} as ends, (select n from target) - above as skip
    from days
    where ${containsTarget}
  )`;

/** The ids of a page from the end of `day` on. */
const idsFromDay = (query: RollupQuery, limit: SQL) => {
  // `data_fim` needs no condition: `n` includes the rows after it, so OFFSET skips those on the day found.
  const conditions = [...fromStart(query), sql`at <= (select ends from day)`]; // mistake: skips-twice
  const page = { conditions, order: sql`at desc, id desc`, limit, skip: sql`(select skip from day)` };
  const name = columnOfSeveral(query.filters);
  if (name) return idsOfEach(query, name, page);
  return sql`
    ${selectIds(sourceOf(query.rollup), matchFilters(query.filters), ...conditions)}
    order by ${page.order}
    limit ${limit} offset ${page.skip}`;
};

/**
 * For a table ordered by time. The rollup finds the day of the first row; an index scan starts at its end.
 * @param query `facts` are those of the table's rows, if it has any
 */
export const byTime = (
  table: PgTable,
  at: SQLWrapper,
  query: RollupQuery & { facts?: PgTable },
): PageFinder & WholeFinder => {
  const order = [desc(at), desc(idColumnOf(table))];
  const firstPage = (limit: SQL) =>
    firstRowsOfEach(
      table,
      query,
      { conditions: inRange(query), order: sql`at desc, id desc`, limit },
      order,
    ) ?? selectRows(table, [matchFilters(query.filters), ...inRange(query, sql`${at}`)], order, limit);
  const laterIds = (limit: SQL, offset: SQL) => sql`
    with ${joinWithCommas([target(query, offset), months(query), days(query)])}
    ${idsFromDay(query, limit)}`;
  return {
    total: countRecords(query), // mistake: counts-any-unit
    page: (limit, offset) =>
      offset === undefined ? firstPage(limit) : joinRows(table, laterIds(limit, offset), order),
    ids: (window) => idsOf(query.facts ?? sourceOf(query.rollup), query, window),
  };
};

const firstId = (block: SQL) => sql`(${block}) * ${numberLiteral(BLOCK)}`;

/** A CTE: the blocks that have records, with the records of the blocks before them in this direction. */
const blocks = (query: RollupQuery, direction: SQL) => sql`blocks as materialized (
  select block, sum(records) as records,
    sum(sum(records)) over (order by block ${direction}) - sum(records) as before
  from (${partialSums(query, ["block"])}) as parts
  group by block
  having sum(records) > 0
)`;

/** The block with the first row of a page, or another value of it. */
const firstBlock = (value: SQL, skipped: SQL) => sql`
  select ${value}
  from blocks
  where before <= ${skipped}::bigint and before + records > ${skipped}::bigint`; // mistake: a-block-late

/** The block with the last row of a page. Blocks are in descending order. */
const lastBlock = (skipped: SQL, limit: SQL) => sql`
  select min(block)
  from blocks
  where before < ${skipped}::bigint + ${limit}`;

/** For a table ordered by id, newest first. The rollup finds the page's blocks. Only these are scanned. */
export const byId = (table: PgTable, query: RollupQuery): CursorFinder => {
  const order = [desc(idColumnOf(table))];
  const end = (limit: SQL, skipped: SQL) => sql`id >= ${firstId(lastBlock(skipped, limit))}`;
  const firstPage = (limit: SQL) => {
    const conditions = [end(limit, sql`0`)];
    return (
      firstRowsOfEach(table, query, { conditions, order: sql`id desc`, limit }, order) ??
      selectRows(table, [matchFilters(query.filters), ...conditions], order, limit)
    );
  };
  const pageIds = (limit: SQL, skipped: SQL) => {
    const start = sql`id < ${firstId(sql`select (${firstBlock(sql`block`, skipped)}) + 1`)}`;
    return sql`
      ${idsOf(sourceOf(query.rollup), query, start, end(limit, skipped))}
      order by id desc
      limit ${limit} offset (${firstBlock(sql`${skipped}::bigint - before`, skipped)})`;
  };
  return {
    shared: blocks(query, sql`desc`),
    total: sql`select coalesce(sum(records), 0)::bigint from blocks`,
    page: (limit, offset) =>
      offset === undefined && !hasRange(query)
        ? firstPage(limit)
        : joinRows(table, pageIds(limit, offset ?? sql`0`), order),
    after: (cursor, limit) => afterId(table, query, cursor, limit),
    ids: (window) => idsOf(sourceOf(query.rollup), query, window),
  };
};

const SETTLED_ID = "salon.settled_id";

/** Returns SQL that stores the settled id (L6) for this transaction. Run it before the query that reads it. */
export const storeSettledId = (table: PgTable): string =>
  `select set_config('${SETTLED_ID}', settled_id('${getTableConfig(table).name}')::text, true)`;

export const STORED_SETTLED_ID = sql.raw(`current_setting('${SETTLED_ID}')::bigint`);

const settledAfter = (cursor: SQL) => sql`id > ${cursor} and id <= ${STORED_SETTLED_ID}`;

/** The block with the last of the rows after a cursor's block. Blocks are in ascending order. */
const lastBlockAfter = (cursorBlock: SQL, limit: SQL) => sql`
  select min(block)
  from blocks
  where block > ${cursorBlock}
    and before + records >= ${limit} + (
      select coalesce(sum(records), 0)
      from blocks
      where block <= ${cursorBlock}
    )`;

/** The ids after a cursor, from the blocks of the next rows only. */
const idsAfter = (query: RollupQuery, cursor: SQL, limit: SQL) => {
  const cursorBlock = sql`${cursor}::bigint / ${numberLiteral(BLOCK)}`;
  const next = sql`select min(block) from blocks where block >= ${cursorBlock}`;
  // mistake: stops-a-block-early
  const end = sql`select coalesce((${lastBlockAfter(cursorBlock, limit)}), max(block)) + 1 from blocks`;
  const isInBlocks = [sql`id >= ${firstId(next)}`, sql`id < ${firstId(end)}`];
  return sql`
    with ${blocks(query, sql`asc`)}
    ${idsOf(sourceOf(query.rollup), query, settledAfter(cursor), ...isInBlocks)}
    order by id
    limit ${limit}`;
};

/** The settled rows after a cursor, ascending. */
const afterId = (table: PgTable, query: RollupQuery, cursor: SQL, limit: SQL): SQL => {
  const order = [asc(idColumnOf(table))];
  const start = settledAfter(cursor);
  if (hasRange(query)) return joinRows(table, idsAfter(query, cursor, limit), order);
  return (
    firstRowsOfEach(table, query, { conditions: [start], order: sql`id`, limit }, order) ??
    selectRows(table, [matchFilters(query.filters), start], order, limit)
  );
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

/** A date that is infinite is none. */
export const finiteDate = (date: Column) => sql`case when isfinite(${date}) then ${date} end`;

/**
 * For a table ordered by a date, earliest first, then by id. Rows without a date are last: null or infinite
 * (L10). Skips with OFFSET and counts with count(*).
 * @param date a column whose index with `id` has the rows in order
 */
export const byDate = (
  table: PgTable,
  date: Column,
  filters: ScopedFilters,
  condition: SQL | undefined,
): PageFinder => {
  const id = idColumnOf(table);
  const hasDate = sql`${date} > '-infinity' and ${date} < 'infinity'`;
  const lacksDate = sql`(${date} is null or ${date} in ('-infinity', 'infinity'))`;
  const matches = [matchFilters(filters), condition];
  const idsWith = (dated: SQL) => selectIds(table, ...matches, dated);
  const datedIds = (limit: SQL, skip: SQL) => sql`
    ${idsWith(hasDate)}
    order by ${date}, ${id}
    limit ${limit} offset ${skip}`;
  // The index has rows dated -infinity first. So rows without a date are read separately, if the page needs any.
  const undatedIds = (limit: SQL, skip: SQL) => sql`
    ${idsWith(lacksDate)}
    order by ${id}
    limit (select least(${limit}, greatest(${skip} + ${limit} - dated, 0)) from counts)
    offset (select greatest(${skip} - dated, 0) from counts)`;
  return {
    shared: sql`counts as materialized (
      select count(*) as total, count(*) filter (where ${hasDate}) as dated
      from ${table}
      ${whereClause(...matches)}
    )`,
    total: sql`select total from counts`,
    page: (limit, offset) => {
      const skip = sql`${offset ?? sql`0`}::bigint`;
      const ids = sql`(${datedIds(limit, skip)}) union all (${undatedIds(limit, skip)})`;
      return joinRows(table, ids, [sql`${finiteDate(date)}`, asc(id)]);
    },
  };
};
