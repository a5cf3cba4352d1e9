import { type SQL, sql } from "drizzle-orm";
import { joined } from "./conditions.ts";

export const withClause = (...expressions: (SQL | undefined)[]) => {
  const given = expressions.filter((expression) => expression !== undefined);
  return given.length > 0 ? sql`with ${joined(given)} ` : sql``;
};

export interface FinishedBody {
  body: Uint8Array<ArrayBuffer>;
  tag: string;
}

/** Without `offset 0`, Postgres inlines the select and computes a column again at each use. */
export const optimizationFence = (select: SQL) => sql`(${select} offset 0)`;

/** Adds the SHA-256 of `etagSource`. Hashing in Postgres takes a fraction of the CPU of hashing in the Worker. */
export const withEtag = (select: SQL, etagSource = sql`body`) =>
  sql`select *, encode(sha256(convert_to(${etagSource}, 'UTF8')), 'hex') as tag from ${optimizationFence(select)} as finished`;

/** Each `||` copies its operands, so the parts of `after` are joined before the long text is added. */
export const wrapLongText = (before: SQL, long: SQL, after: SQL) => sql`${before} || (${long} || (${after}))`;

/** The rows as elements of a JSON array, in order. `row_to_json` keeps every digit (V2). */
export const elements = (source: SQL) =>
  sql`coalesce((select string_agg(row_to_json(record)::text, ',') from (${source}) as record), '')`;

export const array = (source: SQL) => sql`'[' || ${elements(source)} || ']'`;

export const objectOf = (values: Record<string, SQL>) =>
  sql`'{' || ${sql.join(
    Object.entries(values).map(
      ([name, value], n) => sql`${sql.raw(`'${n > 0 ? "," : ""}"${name}":'`)} || ${value}`,
    ),
    sql` || `,
  )} || '}'`;

export const listed = (source: SQL) => sql`'{"data":[' || ${elements(source)} || ']}'`;

export const oneRow = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error("an aggregate returned no row");
  return row;
};
