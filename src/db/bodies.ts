import { type Column, eq, type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { Db, JsonText } from "../ground/database.ts";
import { noRecord, Refusal } from "../ground/errors.ts";
import { joined, number, whereOf } from "./conditions.ts";
import { afterId, byId, type PageFinder, readSettledId } from "./lists.ts";
import type { Summed } from "./rollup.ts";
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

export const withClause = (...expressions: (SQL | undefined)[]) => {
  const given = expressions.filter((expression) => expression !== undefined);
  return given.length > 0 ? sql`with ${joined(given)} ` : sql``;
};

/** The schemas of a body that lists records, and of what asks for a page of them. */
type Listed = z.ZodType<{ data: object[] }>;
type Paging = z.ZodType<{ page: number; per_page: number; after_id?: number | undefined }>;
type ItemOf<Body extends Listed> = z.output<Body>["data"][number];

/** What every statement answers. */
export interface Finished {
  body: Uint8Array<ArrayBuffer>;
  tag: string;
}

/** A select behind an optimization fence: without `offset 0` Postgres computes a column again for each use of it. */
export const fenced = (select: SQL) => sql`(${select} offset 0)`;

/**
 * A finished body with its entity tag: to hash the text costs Postgres a fraction of what it costs a Worker. SHA-256, as
 * processors have instructions for it: of 235 KB it takes 0.2 ms, md5 0.4 and two of Postgres's own 64-bit hashes 0.2.
 * Those would be as unlikely to meet by chance, but are not documented to stay what they are, and whoever can have a
 * record written could choose one that keeps a tag.
 */
export const tagged = (select: SQL, lasting = sql`body`) =>
  sql`select *, encode(sha256(convert_to(${lasting}, 'UTF8')), 'hex') as tag from ${fenced(select)} as finished`;

/** A Worker's 128 MB hold five such pages at once, with the copies that are made of each on its way. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * A page, or null for its body where that is too large; a page of one record is never refused. `link_value` is what the
 * links to other pages are made from: the total, or by cursor the id to go on after.
 */
export const limited = (select: SQL, per_page: SQL) => sql`
  select case when octet_length(body) <= ${number(MAX_PAGE_BYTES)} or ${per_page} = 1 then body end as body, link_value
  from ${fenced(select)} as page(body, link_value)`;

/** Such a page as it was read. @throws Refusal 400 where it is too large */
export const whole = <Page extends Finished>(page: Page): Page => {
  if (page.body !== null) return page;
  throw new Refusal(
    400,
    `This page would be larger than ${MAX_PAGE_BYTES >> 20} MiB: its records are large. Ask for fewer with \`per_page\`.`,
  );
};

/** Text around a long one, which is copied each time something is joined to it: so once for all that comes after it. */
export const around = (before: SQL, long: SQL, after: SQL) => sql`${before} || (${long} || (${after}))`;

/** Records as the elements of a JSON array, in their order, with every digit as Postgres holds it (V2). */
const elements = (source: SQL) =>
  sql`coalesce((select string_agg(row_to_json(record)::text, ',') from (${source}) as record), '')`;

/**
 * One page of a classic list and its totals, from one snapshot (L3).
 * A page past the end has no records and the true totals.
 */
export const page = <Asked extends Paging, Body extends Listed>(
  selection: Selection<ItemOf<Body>>,
  build: (given: Placeholders<z.output<Asked>>) => PageFinder,
) => {
  type Q = z.output<Asked>;
  const text = statement<Q & { offset: number | undefined }>((given) => {
    const find = build(given as Placeholders<Q>);
    const [current, size] = [given.page, sql`${given.per_page}::bigint`];
    const pagination = sql`'],"pagination":{"page":' || ${current} || ',"per_page":' || ${size} || ',"total":' || total
      || ',"total_pages":' || (total + ${size} - 1) / ${size} || '}}'`;
    const shown = elements(records(selection, find.page(size, given.offset)));
    const select = sql`${withClause(find.shared, selection.shared)}
      select ${around(sql`'{"data":['`, shown, pagination)} as body, total from (${find.total}) as counted(total)`;
    return tagged(limited(select, size));
  });
  return async (db: Db, q: Q): Promise<JsonText<z.output<Body>>> => {
    const offset = (q.page - 1) * q.per_page || undefined;
    const { link_value: total, ...finished } = whole(
      oneRow(await db<Finished & { link_value: string }>(text({ ...q, offset }))),
    );
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
 */
const cursor = <Q extends { per_page: number; after_id: number }, Item>(
  selection: Selection<Item>,
  build: (given: Placeholders<Q>) => Summed,
) => {
  const { table } = selection;
  const first = readSettledId(table);
  const text = statement<Q>((given) => {
    const size = sql`${given.per_page}::integer`;
    const rows = afterId(table, build(given), given.after_id, sql`${size} + 1`);
    const pagination = sql`'],"pagination":{"per_page":' || ${size} || ',"next_after_id":' || coalesce(next::text, 'null')
      || ',"has_more":' || (next is not null)::text || '}}'`;
    const select = sql`
      select ${around(sql`'{"data":['`, sql`coalesce(texts, '')`, pagination)} as body, next
      from (
        select string_agg(row_to_json(record)::text, ',') filter (where number <= ${size}) as texts,
          case when count(*) > ${size} then max(id) filter (where number <= ${size}) end as next
        from (
          select record, id, row_number() over (order by id) as number
          from (${records(selection, rows)}) as record
        ) as numbered
      ) as read`;
    return tagged(limited(select, size));
  });
  return async (db: Db, q: Q) => {
    const { link_value: next, ...finished } = whole(
      oneRow(await db<Finished & { link_value: string | null }>({ first, ...text(q) })),
    );
    return next === null ? finished : { ...finished, links: { next: ["after_id", next] as const } };
  };
};

/** A list in both modes. Classic: newest id first (L1). Cursor: ids above `after_id`, ascending (L4). */
export const pageOrCursor = <Asked extends Paging, Body extends Listed>(
  selection: Selection<ItemOf<Body>>,
  build: (given: Placeholders<z.output<Asked>>) => Summed,
) => {
  type Q = z.output<Asked>;
  const classic = page<Asked, Body>(selection, (given) => byId(selection.table, build(given)));
  const byCursor = cursor<Q & { after_id: number }, ItemOf<Body>>(selection, (given) =>
    build(given as Placeholders<Q>),
  );
  return (db: Db, q: Q): Promise<JsonText<z.output<Body>>> => {
    const { after_id } = q;
    return after_id === undefined ? classic(db, q) : byCursor(db, { ...q, after_id });
  };
};

/** The rows of a select as a JSON array, in its order: text for another object to hold. */
export const array = (source: SQL) => sql`'[' || ${elements(source)} || ']'`;

/** A JSON object of values that are JSON text already. */
export const objectOf = (values: Record<string, SQL>) =>
  sql`'{' || ${sql.join(
    Object.entries(values).map(
      ([name, value], n) => sql`${sql.raw(`'${n > 0 ? "," : ""}"${name}":'`)} || ${value}`,
    ),
    sql` || `,
  )} || '}'`;

/** The rows of a select as `{data: […]}`, in its order. */
export const listed = (source: SQL) => sql`'{"data":[' || ${elements(source)} || ']}'`;

/** All rows of a select as `{data: […]}`, without pagination. @param build a select in its order */
export const all = <Q extends object, T>(build: (given: Placeholders<Q>) => SQL) =>
  object<Q, T>((given) => sql`select ${listed(build(given))} as body`);

/** Which records of a small table are shown, and in which order. */
interface Shown {
  where: SQL | undefined;
  order: SQL[];
}

/** The records of a small table that is read whole, as a select. */
export const everyRecordOf = <Item>(selection: Selection<Item>, { where, order }: Shown) =>
  records(selection, sql`select * from ${selection.table}${whereOf(where)} order by ${joined(order)}`);

/** The same as `{data: […]}`. */
export const everyRecord = <Asked extends z.ZodType<object>, Body extends Listed>(
  selection: Selection<ItemOf<Body>>,
  build: (given: Placeholders<z.output<Asked>>) => Shown,
) => all<z.output<Asked>, z.output<Body>>((given) => everyRecordOf(selection, build(given)));

interface Manner {
  /** What a reader is told, as a 400, whose answer would be too much: the statement's `body` is null then. */
  refusal?: string;
  /** What the entity tag is of, where something in the body changes with each look at it. */
  lasting?: SQL;
}

/** What a statement answers as its `body`. */
export const object = <Q extends object, T>(
  build: (given: Placeholders<Q>) => SQL,
  { refusal, lasting }: Manner = {},
) => {
  const text = statement<Q>((given) => tagged(build(given), lasting));
  return async (db: Db, q: Q): Promise<JsonText<T>> => {
    const finished = oneRow(await db<Finished>(text(q)));
    if (finished.body === null && refusal !== undefined) throw new Refusal(400, refusal);
    return finished;
  };
};

/** The record that has this key. @throws Refusal 404 when there is none */
export const one = <Item, Key extends Column>(selection: Selection<Item>, key: Key) => {
  const text = statement<{ id: Key["_"]["data"] }>(({ id }) => {
    const row = sql`select * from ${selection.table}${whereOf(eq(key, id))}`;
    return tagged(sql`${withClause(selection.shared)}
      select row_to_json(record)::text as body from (${records(selection, row)}) as record`);
  });
  return async (db: Db, q: { id: Key["_"]["data"] }): Promise<JsonText<Item>> => {
    const record = await db<Finished>(text(q));
    if (record === undefined) throw noRecord(q.id as string | number, key.name);
    return record;
  };
};

const oneRow = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error("an aggregate answered no row");
  return row;
};
