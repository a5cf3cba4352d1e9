import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Db, JsonText } from "../../core/database.ts";
import { csvHeader, csvRecord, csvTable } from "./csv-sql.ts";
import {
  assertRow,
  type FinishedBody,
  finishBody,
  jsonElements,
  withClause,
  wrapLongText,
} from "./json-sql.ts";
import type { Kinds } from "./kinds.ts";
import { type CursorFinder, idColumnOf, type PageFinder, storeSettledId, type WholeFinder } from "./lists.ts";
import { listInParts } from "./parts.ts";
import type { ReadRequest, Shape } from "./read-request.ts";
import { type ItemOf, type ListBody, rowsWithRecord, selectRecords } from "./records.ts";
import type { Scope } from "./scope.ts";
import { fieldsOf, type Selection, sharedOf } from "./selection.ts";
import { type Placeholders, type PlaceholdersOf, statement } from "./statement.ts";

type Paging = z.ZodType<{ page: number; per_page: number; after_id?: string | undefined }>;

/** Finishes a page whose select has `body` and `link_value`, for the links. */
export const finishPage = (select: SQL, per_page: SQL) =>
  finishBody(select, { columns: ["link_value"], isOneRecord: sql`${per_page} = 1` });

/** A page and its totals, from one snapshot. A page past the end is empty and has the true totals (L3). */
export const listByPage = <Query extends Paging, Body extends ListBody>(
  selection: Selection<ItemOf<Body>>,
  build: (placeholders: PlaceholdersOf<z.output<Query>>, scope: Scope) => PageFinder,
) => {
  type Q = z.output<Query>;
  const toStatement = statement<Q & { offset: number | undefined }>((placeholders, scope, shape) => {
    const finder = build(placeholders as PlaceholdersOf<Q>, scope);
    const { page, per_page, offset } = placeholders as Placeholders<{
      page: number;
      per_page: number;
      offset?: number;
    }>;
    const size = sql`${per_page}::bigint`;
    const pagination = sql`'],"pagination":{"page":' || ${page} || ',"per_page":' || ${size}
      || ',"total":' || total || ',"total_pages":' || (total + ${size} - 1) / ${size} || '}}'`;
    const records = selectRecords(selection, finder.page(size, offset), scope, shape);
    const body = shape.format
      ? csvTable(fieldsOf(selection, shape), records, shape.format)
      : wrapLongText(sql`'{"data":['`, jsonElements(records), pagination);
    const select = sql`
      ${withClause(finder.shared, sharedOf(selection, shape))}
      select ${body} as body, total as link_value
      from (${finder.total}) as counted(total)`;
    return finishPage(select, size);
  });
  return async (db: Db, request: ReadRequest, q: Q): Promise<JsonText<z.output<Body>>> => {
    const offset = (q.page - 1) * q.per_page || undefined;
    const { link_value: total, ...finished } = assertRow(
      await db<FinishedBody & { link_value: string }>(toStatement(request, { ...q, offset })),
    );
    const lastPage = Math.max(1, Math.ceil(Number(total) / q.per_page));
    return {
      ...finished,
      links: {
        ...(q.page < lastPage && { next: ["page", q.page + 1] as const }),
        ...(q.page > 1 && { prev: ["page", Math.min(q.page - 1, lastPage)] as const }),
        first: ["page", 1],
        last: ["page", lastPage],
      },
    };
  };
};

/** SQL for the parts of a body: one `item`, what separates two of them, and the body around all `items`. */
const bodyOfItems = (fields: Kinds, { format }: Shape, pagination: SQL) => {
  const items = sql`coalesce(items, '')`;
  return format === undefined
    ? {
        body: wrapLongText(sql`'{"data":['`, items, pagination),
        item: sql`row_to_json(record)::text`,
        separator: sql`','`,
      }
    : {
        body: sql`${csvHeader(fields, format)} || ${items}`,
        item: csvRecord(fields, format),
        separator: sql`''`,
      };
};

/** Reads one row more than it returns, to know whether more follow (L4). Ends at the settled id (L6). */
const listByCursor = <Q extends { per_page: number; after_id: string }, Item>(
  selection: Selection<Item>,
  build: (placeholders: PlaceholdersOf<Q>, scope: Scope) => CursorFinder,
) => {
  const { table } = selection;
  const prelude = storeSettledId(table);
  const id = idColumnOf(table);
  const toStatement = statement<Q>((placeholders, scope, shape) => {
    const { per_page, after_id } = placeholders as Placeholders<{ per_page: number; after_id: string }>;
    const size = sql`${per_page}::integer`;
    const rows = build(placeholders, scope).after(after_id, sql`${size} + 1`);
    const pagination = sql`'],"pagination":{"per_page":' || ${size}
      || ',"next_after_id":' || coalesce(next::text, 'null')
      || ',"has_more":' || (next is not null)::text || '}}'`;
    const { body, item, separator } = bodyOfItems(fieldsOf(selection, shape), shape, pagination);
    const numbered = sql`
      select ${id} as id, row_number() over (order by ${id}) as number, ${item} as item
      from ${rowsWithRecord(selection, rows, scope, shape)}`;
    const pageItems = sql`
      select string_agg(item, ${separator}) filter (where number <= ${size}) as items,
        case when count(*) > ${size} then max(id) filter (where number <= ${size}) end as next
      from (${numbered}) as numbered`;
    const select = sql`
      ${withClause(sharedOf(selection, shape))}
      select ${body} as body, next as link_value
      from (${pageItems}) as page_items`;
    return finishPage(select, size);
  });
  return async (db: Db, request: ReadRequest, q: Q) => {
    const { link_value: next, ...finished } = assertRow(
      await db<FinishedBody & { link_value: string | null }>({ prelude, ...toStatement(request, q) }),
    );
    return next === null ? finished : { ...finished, links: { next: ["after_id", next] as const } };
  };
};

/** By page, or by cursor: ids above `after_id`, ascending (L4). */
export const listByPageOrCursor = <Query extends Paging, Body extends ListBody>(
  selection: Selection<ItemOf<Body>>,
  build: (placeholders: PlaceholdersOf<z.output<Query>>, scope: Scope) => CursorFinder,
) => {
  type Q = z.output<Query>;
  const byPage = listByPage<Query, Body>(selection, build);
  const byCursor = listByCursor<Q & { after_id: string }, ItemOf<Body>>(selection, (placeholders, scope) =>
    build(placeholders as PlaceholdersOf<Q>, scope),
  );
  return (db: Db, request: ReadRequest, q: Q): Promise<JsonText<z.output<Body>>> => {
    const { after_id } = q;
    return after_id === undefined ? byPage(db, request, q) : byCursor(db, request, { ...q, after_id });
  };
};

/** A list by page, or as a whole (X2). */
export const listOf = <Query extends Paging, Body extends ListBody>(
  selection: Selection<ItemOf<Body>>,
  build: (placeholders: PlaceholdersOf<z.output<Query>>, scope: Scope) => PageFinder & WholeFinder,
) => ({
  read: listByPage<Query, Body>(selection, build),
  readPart: listInParts<Query, ItemOf<Body>>(selection, build),
});

/** A list by page, by cursor, or as a whole. */
export const listWithCursor = <Query extends Paging, Body extends ListBody>(
  selection: Selection<ItemOf<Body>>,
  build: (placeholders: PlaceholdersOf<z.output<Query>>, scope: Scope) => CursorFinder,
) => ({
  read: listByPageOrCursor<Query, Body>(selection, build),
  readPart: listInParts<Query, ItemOf<Body>>(selection, build, { settled: true }),
});
