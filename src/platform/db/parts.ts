import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { Db } from "../../core/database.ts";
import { numberLiteral } from "./conditions.ts";
import { csvHeader, csvRecord } from "./csv-sql.ts";
import { assertRow, MAX_BODY_BYTES, optimizationFence, withClause } from "./json-sql.ts";
import { idColumnOf, STORED_SETTLED_ID, storeSettledId, type WholeFinder } from "./lists.ts";
import type { ReadRequest, Shape } from "./read-request.ts";
import { rowsWithRecord } from "./records.ts";
import type { Scope } from "./scope.ts";
import { fieldsOf, type Selection, sharedOf } from "./selection.ts";
import { type PlaceholdersOf, statement } from "./statement.ts";

/** How many ids a part reads past at most, so that a rare value costs no long statement. */
const WINDOW = 50_000n;
const MAX_ID = 9_223_372_036_854_775_807n;
const FIRST_RECORDS = 100;
const MAX_RECORDS = 2_000;

/** Where a part begins, and what is known of the list. Ids are text: above 2^53, a number would be another id. */
export interface PartStart {
  /** The part has ids above it. */
  after: string;
  /** The last id that the list had when it began. Undefined for the first part. */
  last?: string | undefined;
  /** How many records it has at most. */
  size: number;
}

/** The next records of a list, each with its line end. */
export interface Part {
  body: Uint8Array<ArrayBuffer>;
  records: number;
  /** Where the next part begins; undefined at the end of the list. */
  next: PartStart | undefined;
}

export type ReadPart<Q> = (db: Db, request: ReadRequest, q: Q, start: PartStart) => Promise<Part>;

interface PartRow {
  body: Uint8Array<ArrayBuffer>;
  records: string;
  last: string;
  /** The lowest id of the table that was not read, whether it matches or not. */
  following: string | null;
}

export const firstPart = (after: string): PartStart => ({ after, size: FIRST_RECORDS });

const nextPart = ({ body, records, last, following }: PartRow, size: number): PartStart | undefined => {
  if (following === null) return undefined;
  const average = body.length / Number(records);
  const fitting = Math.floor(MAX_BODY_BYTES / average);
  return {
    after: String(BigInt(following) - 1n), // mistake: reads-a-part-twice
    last,
    size: records === "0" ? size : Math.max(1, Math.min(fitting, MAX_RECORDS)),
  };
};

/** Adds `id` as the last field, unless it is one of those that are read. */
const withId = <Item>(
  selection: Selection<Item>,
  shape: Shape,
): { selection: Selection<Item>; shape: Shape } => {
  const { table, columns, kinds } = selection;
  const fields = shape.fields ?? Object.keys(kinds);
  if (fields.includes("id")) return { selection, shape };
  const { id: _, ...others } = kinds;
  return {
    selection: {
      ...selection,
      columns: { ...columns, id: idColumnOf(table) },
      kinds: { ...others, id: "number" },
    },
    shape: { ...shape, fields: shape.fields && [...fields, "id"] },
  };
};

/** A record with its line end, and what is before the first one. */
const linesOf = <Item>(selection: Selection<Item>, shape: Shape) => {
  const { format } = shape;
  if (format === undefined) return { header: sql`''`, line: sql`row_to_json(record)::text || E'\n'` };
  const fields = fieldsOf(selection, shape);
  return { header: csvHeader(fields, format), line: csvRecord(fields, format) };
};

/** The rows of the ids, each with its `part_id`, whose order is known: nothing is sorted. */
const rowsOf = (table: PgTable, ids: SQL) =>
  // `limit 1` keeps Postgres from a join that scans the table.
  sql`
    select ${table}.*, part_ids.id as part_id
    from (${ids}) as part_ids, lateral (select * from ${table} where id = part_ids.id limit 1) as ${table}`;

/** The body of a part, how many records it has, and `upto`: the id up to which it has read. */
const bodyOf = (lines: SQL, { size, to }: { size: SQL; to: SQL }) => {
  const measured = sql`
    select id, line, row_number() over by_id = 1 or
      sum(octet_length(line)) over by_id <= ${numberLiteral(MAX_BODY_BYTES)} as fits
    from ${optimizationFence(lines)} as lines
    window by_id as (order by id rows unbounded preceding)`;
  // A part that is full, or was cut, ends at its last record, any other at the end of its window.
  return sql`
    select coalesce(string_agg(line, '') filter (where fits), '') as body,
      count(*) filter (where fits) as records,
      case
        when count(*) = ${size} or not bool_and(fits) then max(id) filter (where fits)
        else ${to}
      end as upto
    from (${measured}) as measured`;
};

/** The parameters of a part's statement beside those of its list. */
interface PartBounds {
  after: string;
  to: string;
  last: string | undefined;
  size: number;
}

/** Where a list ends: at the settled id (L6), or at its highest id. */
interface Ending {
  settled: boolean;
}

type BuildFinder<Q> = (placeholders: PlaceholdersOf<Q>, scope: Scope) => WholeFinder;

/** Builds the statements of parts. That of the first part also finds where the list ends, and writes the header. */
const partStatement = <Q, Item>(listed: Selection<Item>, build: BuildFinder<Q>, { settled }: Ending) => {
  const { table } = listed;
  return statement<Q & PartBounds>((placeholders, scope, asked) => {
    const { selection, shape } = withId(listed, asked);
    const { last, ...bounds } = placeholders as unknown as Record<keyof PartBounds, SQL>;
    const [to, size] = [sql`${bounds.to}::bigint`, sql`${bounds.size}::int`];
    const isFirst = last === undefined;
    const end = settled ? STORED_SETTLED_ID : sql`(select coalesce(max(id), 0) from ${table})`;
    const isInWindow = sql`id > ${bounds.after}::bigint and id <= ${to}`;
    const window = isFirst && settled ? sql`${isInWindow} and id <= ${end}` : isInWindow;
    const { ids } = build(placeholders as unknown as PlaceholdersOf<Q>, scope);
    const rows = rowsOf(table, sql`${ids(window)} order by id limit ${size}`);
    const { header, line } = linesOf(selection, shape);
    const lines = sql`
        select part_id as id, ${line} as line
        from ${rowsWithRecord(selection, rows, scope, shape)}
        order by part_id`;
    const ended = sql`
        select *, ${isFirst ? end : sql`${last}::bigint`} as last
        from (${bodyOf(lines, { size, to })}) as part`;
    return sql`
        ${withClause(sharedOf(selection, shape))}
        select ${isFirst ? sql`${header} || ` : sql``}body as body, records, last,
          (select min(id) from ${table} where id > upto and id <= last) as following
        from ${optimizationFence(ended)} as reached`;
  });
};

/** Reads a list part by part, lowest id first (X2). A part ends at 4 MiB, unless its first record is larger. */
export const listInParts = <Query extends z.ZodType<object>, Item>(
  listed: Selection<Item>,
  build: BuildFinder<z.output<Query>>,
  { settled }: Ending = { settled: false },
): ReadPart<z.output<Query>> => {
  const toStatement = partStatement(listed, build, { settled });
  return async (db, request, q, { after, last, size }) => {
    const [highest, end] = [BigInt(after) + WINDOW, BigInt(last ?? MAX_ID)];
    const to = String(highest < end ? highest : end);
    const prelude = settled && last === undefined ? { prelude: storeSettledId(listed.table) } : {};
    const row = assertRow(
      await db<PartRow>({ ...prelude, ...toStatement(request, { ...q, after, to, last, size }) }),
    );
    return { body: row.body, records: Number(row.records), next: nextPart(row, size) };
  };
};
