import { type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import type { Db, JsonText } from "../../core/database.ts";
import { Refusal } from "../../core/errors.ts";
import { whereClause, wordLiteral } from "./conditions.ts";
import { type FinishedBody, optimizationFence, withClause, wrapLongText } from "./json-sql.ts";
import { finishPage } from "./pagination.ts";
import type { ReadRequest, Shape } from "./read-request.ts";
import { inUnits, selectRecords } from "./records.ts";
import type { Scope } from "./scope.ts";
import { type Selection, sharedOf } from "./selection.ts";
import { type PlaceholdersOf, statement } from "./statement.ts";

/** A position in the change feed of one database (`epoch`). Numbers are strings: they may exceed 2^53. */
interface Marker {
  epoch: string;
  /** The last change when the client began its copy. Pruning removals up to it leaves the copy valid (C4). */
  copyStart: string;
  position: string;
}

type FeedQuery = { per_page: number } & Partial<Marker>;

interface ChangesOf<Item> {
  data: { id: number; removido: boolean; registro: Item | null }[];
}

const INVALID_MARKER =
  "The marker in `after` is no longer valid: it is too old, from another database, or from other rights. " +
  "Delete your copy and start again without `after`.";

// The last change that the page may return. `prelude` sets it earlier in the same round trip. The page must
// read a newer snapshot, or it would skip changes.
const settled = sql`current_setting('salon.settled_change')::bigint`;
const tableNameOf = <Item>({ table }: Selection<Item>) => getTableConfig(table).name;
const changesTableOf = <Item>(selection: Selection<Item>) =>
  sql.identifier(`${tableNameOf(selection)}_changes`);

/** One page of a feed. */
interface FeedPage<Item> {
  selection: Selection<Item>;
  scope: Scope;
  shape: Shape;
  /** The last change that the reader has. */
  position: SQL;
  size: SQL;
}

/** The next changes, and one more to know whether others follow. */
const nextChanges = <Item>({ selection, position, size }: FeedPage<Item>) => sql`
  select id, change
  from ${changesTableOf(selection)}
  where change > ${position} and change <= ${settled}
  order by change
  limit ${size} + 1`;

/** The record of `entry`. One of another unit is null like a removed one, so that it leaves the copy (A11). */
const currentRecord = <Item>({ selection, scope, shape }: FeedPage<Item>) => {
  const { table } = selection;
  const row = sql`
    select *
    from ${table}
    ${whereClause(sql`${table}.id = entry.id`, inUnits(selection, scope))}`; // mistake: shows-moved-records
  const record = selectRecords(selection, row, scope, shape);
  return sql`select row_to_json(record)::text as registro from (${record}) as record`;
};

const changedItems = <Item>(page: FeedPage<Item>) => sql`
  select change,
    '{"id":' || id || ',"removido":' || (registro is null)::text
      || ',"registro":' || coalesce(registro, 'null') || '}' as item
  from (${nextChanges(page)}) as entry
    left join lateral ${optimizationFence(currentRecord(page))} as current_record on true`;

/** One row: the items of the page, the last change of them, and whether others follow. */
const pageItems = <Item>(page: FeedPage<Item>) => {
  const isOfPage = sql`number <= ${page.size}`;
  return sql`
    select string_agg(item, ',') filter (where ${isOfPage}) as items,
      max(change) filter (where ${isOfPage}) as last,
      count(*) > ${page.size} as has_more
    from (
      select *, row_number() over (order by change) as number
      from (${changedItems(page)}) as changed_items
    ) as numbered`;
};

/** Where the reader's copy starts: as in the marker, or now. */
const copyStartOf = <Item>(selection: Selection<Item>, copyStart: SQL | undefined) => {
  if (copyStart) return sql`${copyStart}::bigint`;
  const newest = sql`select max(change) from ${changesTableOf(selection)} where change <= ${settled}`;
  return sql`greatest(oldest_kept_change, (${newest}))`;
};

/** The page with the marker of the next one. No row if the marker is not valid in this database (C4). */
const markedItems = <Item>(
  name: string,
  { epoch, copyStart }: PlaceholdersOf<FeedQuery>,
  page: FeedPage<Item>,
) => {
  const { selection, scope, position } = page;
  const list = tableNameOf(selection);
  // A marker belongs to the rights that it was given under (A11).
  const ownEpoch = scope.rightsTag ? sql`epoch || '-' || ${scope.rightsTag}` : sql`epoch`;
  const since = copyStartOf(selection, copyStart);
  const newest = sql`coalesce(pg_sequence_last_value(${wordLiteral(`${list}_change_seq`)}::regclass), 0)`;
  const isValidMarker =
    copyStart &&
    sql`${ownEpoch} = ${epoch}
      and greatest(${since}, ${position}) between oldest_kept_change and ${newest}`;
  const next = sql`
    ${wordLiteral(name)} || '.' || ${ownEpoch} || '.' || ${since} || '.' || coalesce(last, ${position})`;
  return sql`
    select items, ${next} as next, has_more
    from change_feeds, (${pageItems(page)}) as page_items
    ${whereClause(sql`list = ${wordLiteral(list)}`, isValidMarker)}`;
};

const pageQuery = <Item>(name: string, placeholders: PlaceholdersOf<FeedQuery>, page: FeedPage<Item>) => {
  const { selection, shape, size } = page;
  const pagination = sql`'],"pagination":{"per_page":' || ${size} || ',"next_after":"' || next
    || '","has_more":' || has_more::text || '}}'`;
  const select = sql`
    ${withClause(sharedOf(selection, shape))}
    select ${wrapLongText(sql`'{"data":['`, sql`coalesce(items, '')`, pagination)} as body,
      case when has_more then next end as link_value
    from (${markedItems(name, placeholders, page)}) as page`;
  return finishPage(select, size);
};

/** A change feed (C1, C2). @throws Refusal 410 if the marker is too old or from another database (C4) */
export const changeFeed = <T extends ChangesOf<unknown>>(
  name: string,
  selection: Selection<NonNullable<T["data"][number]["registro"]>>,
) => {
  const prelude = `select set_config('salon.settled_change', settled_change('${tableNameOf(selection)}')::text, true)`;
  const toStatement = statement<FeedQuery>((placeholders, scope, shape) => {
    const position = sql`${placeholders.position ?? sql`0`}::bigint`;
    const size = sql`${placeholders.per_page}::integer`;
    return pageQuery(name, placeholders, { selection, scope, shape, position, size });
  });
  return async (
    db: Db,
    request: ReadRequest,
    { after, per_page }: { per_page: number; after?: Marker | undefined },
  ) => {
    const row = await db<FinishedBody & { link_value: string | null }>({
      prelude,
      ...toStatement(request, { per_page, ...after }),
    });
    if (row === undefined) throw new Refusal(410, INVALID_MARKER);
    const { link_value: next, ...finished } = row;
    const answer: JsonText<T> = next === null ? finished : { ...finished, links: { next: ["after", next] } };
    return answer;
  };
};
