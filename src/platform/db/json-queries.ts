import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Db, JsonText } from "../../core/database.ts";
import { tableBody } from "./csv-sql.ts";
import { assertRow, type FinishedBody, finishBody } from "./json-sql.ts";
import { kindsOf } from "./kinds.ts";
import type { Scope } from "./scope.ts";
import type { ReadRequest, Shape } from "./shape.ts";
import { type Earlier, type PlaceholdersOf, statement } from "./statement.ts";

interface Options {
  /** The text to hash for the entity tag, if part of the body changes on every request. */
  etagSource?: SQL;
}

const instantJson = (value: SQL) => sql`to_json(${value}::timestamptz)::text`;

/** Starts the member `anterior`, without the closing brace. */
export const earlierEnds = ({ data_inicio, data_fim, ate }: Earlier): SQL => {
  const end = sql`greatest(${data_inicio}, ${data_fim})`; // mistake: ends-before-it-starts
  return sql`',"anterior":{"inicio":' || ${instantJson(data_inicio)}
    || ',"fim":' || ${instantJson(end)}
    || ',"ate":' || coalesce(${instantJson(ate)}, 'null')`;
};

/** Adds the same report over an earlier range as `anterior`, of the same snapshot (R10). */
const withEarlierRange = (build: (range?: Earlier) => SQL, earlier: Earlier | undefined): SQL =>
  earlier === undefined
    ? build()
    : sql`
    select left(report.body, -1)
      || ${earlierEnds(earlier)}
      || ',' || substr(earlier.body, 2) || '}' as body
    from (${build()}) as report, (${build(earlier)}) as earlier`;

export const jsonQuery = <Q extends object, T>(
  build: (placeholders: PlaceholdersOf<Q>, scope: Scope, shape: Shape) => SQL,
  options: Options = {},
) => {
  const toStatement = statement<Q>((placeholders, scope, shape, earlier) =>
    finishBody(
      // mistake: ends-with-the-range
      withEarlierRange((range) => build({ ...placeholders, ...range }, scope, shape), earlier),
      options,
    ),
  );
  return async (db: Db, request: ReadRequest, q: Q): Promise<JsonText<T>> =>
    assertRow(await db<FinishedBody>(toStatement(request, q)));
};

/** @param row the schema of a row */
export const rowsQuery = <Q extends object, T>(
  row: z.ZodObject,
  build: (placeholders: PlaceholdersOf<Q>, scope: Scope) => SQL,
) => {
  const kinds = kindsOf(row);
  return jsonQuery<Q, T>(
    (placeholders, scope, shape) =>
      sql`select ${tableBody(kinds, build(placeholders, scope), shape)} as body`,
  );
};
