import { type SQL, sql } from "drizzle-orm";
import { joinWithCommas, numberLiteral } from "./conditions.ts";

export const withClause = (...expressions: (SQL | undefined)[]) => {
  const present = expressions.filter((expression) => expression !== undefined);
  return present.length > 0 ? sql`with ${joinWithCommas(present)} ` : sql``;
};

/** Five such bodies at once, with their copies, fit into the 128 MB of a Worker. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface FinishedBody {
  /** Null if it is larger than `MAX_BODY_BYTES`. */
  body: Uint8Array<ArrayBuffer> | null;
  tag: string;
}

interface Finishing {
  /** The other columns of the select. */
  columns?: string[];
  /** The text to hash, if part of the body changes on every request. */
  etagSource?: SQL;
  /** Whether the body is that of one record, which may have any size. */
  isOneRecord?: SQL;
}

/** `offset 0` keeps Postgres from inlining the select, which would compute a column again at each use. */
export const optimizationFence = (select: SQL) => sql`(${select} offset 0)`;

/**
 * Adds the SHA-256 of `etagSource` as `tag`: Postgres needs much less CPU for it than the Worker. If the body is too
 * large, `body` is null and `tag` is not: only a select without a body has no tag.
 */
export const finishBody = (
  select: SQL,
  { columns = [], etagSource = sql`body`, isOneRecord }: Finishing = {},
) => {
  const fits = sql`octet_length(body) <= ${numberLiteral(MAX_BODY_BYTES)}${isOneRecord && sql` or ${isOneRecord}`}`;
  // Of a body that is too large, the tag only says that there is one: a search in all its text takes seconds.
  const hashed = sql`case when ${fits} then ${etagSource} else left(body, 1) end`;
  return sql`
    select ${joinWithCommas([
      sql`case when ${fits} then body end as body`,
      ...columns.map((column) => sql.identifier(column)),
      sql`encode(sha256(convert_to(${hashed}, 'UTF8')), 'hex') as tag`,
    ])}
    from ${optimizationFence(select)} as finished`;
};

/** Joins the parts of `after` before the long string, because each `||` copies its operands. */
export const wrapLongText = (before: SQL, long: SQL, after: SQL) => sql`${before} || (${long} || (${after}))`;

/** The rows as elements of a JSON array, without brackets. `row_to_json` keeps every digit (V2). */
export const jsonElements = (rows: SQL) =>
  sql`coalesce((select string_agg(row_to_json(record)::text, ',') from (${rows}) as record), '')`;

export const jsonArray = (rows: SQL) => sql`'[' || ${jsonElements(rows)} || ']'`;

export const jsonObject = (values: Record<string, SQL>) =>
  sql`'{' || ${sql.join(
    Object.entries(values).map(
      ([name, value], n) => sql`${sql.raw(`'${n > 0 ? "," : ""}"${name}":'`)} || ${value}`,
    ),
    sql` || `,
  )} || '}'`;

/** A JSON object whose `data` is the array of rows. */
export const dataObject = (rows: SQL) => sql`'{"data":[' || ${jsonElements(rows)} || ']}'`;

export const assertRow = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error("an aggregate returned no row");
  return row;
};
