import { type SQL, sql } from "drizzle-orm";
import { joinWithCommas } from "./conditions.ts";

export const withClause = (...expressions: (SQL | undefined)[]) => {
  const present = expressions.filter((expression) => expression !== undefined);
  return present.length > 0 ? sql`with ${joinWithCommas(present)} ` : sql``;
};

export interface FinishedBody {
  body: Uint8Array<ArrayBuffer>;
  tag: string;
}

/** `offset 0` keeps Postgres from inlining the select, which would compute a column again at each use. */
export const optimizationFence = (select: SQL) => sql`(${select} offset 0)`;

/** Adds the SHA-256 of `etagSource` as `tag`. Postgres needs much less CPU for it than the Worker. */
export const withEtag = (select: SQL, etagSource = sql`body`) => sql`
  select *, encode(sha256(convert_to(${etagSource}, 'UTF8')), 'hex') as tag
  from ${optimizationFence(select)} as finished`;

/** Joins the parts of `after` before the long string, because each `||` copies its operands. */
export const wrapLongText = (before: SQL, long: SQL, after: SQL) => sql`${before} || (${long} || (${after}))`;

/** The rows as elements of a JSON array, without brackets. `row_to_json` keeps every digit (V2). */
export const jsonElements = (source: SQL) =>
  sql`coalesce((select string_agg(row_to_json(record)::text, ',') from (${source}) as record), '')`;

export const jsonArray = (source: SQL) => sql`'[' || ${jsonElements(source)} || ']'`;

export const jsonObject = (values: Record<string, SQL>) =>
  sql`'{' || ${sql.join(
    Object.entries(values).map(
      ([name, value], n) => sql`${sql.raw(`'${n > 0 ? "," : ""}"${name}":'`)} || ${value}`,
    ),
    sql` || `,
  )} || '}'`;

/** A JSON object whose `data` is the array of rows. */
export const dataObject = (source: SQL) => sql`'{"data":[' || ${jsonElements(source)} || ']}'`;

export const assertRow = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error("an aggregate returned no row");
  return row;
};
