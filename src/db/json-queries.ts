import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Db, JsonText } from "../core/database.ts";
import { Refusal } from "../core/errors.ts";
import type { Rights } from "../core/rights.ts";
import { tableBody } from "./csv-sql.ts";
import { assertRow, type FinishedBody, withEtag } from "./json-sql.ts";
import { kindsOf } from "./kinds.ts";
import type { Scope } from "./scope.ts";
import type { Shape } from "./shape.ts";
import { type Given, statement } from "./statement.ts";

interface Options {
  /** The message of the 400 that is thrown if the statement returns null as `body`. */
  refusal?: string;
  /** The text to hash for the entity tag, if part of the body changes on every request. */
  etagSource?: SQL;
}

/** The ends of the range to compare with. */
interface EarlierRange {
  anterior_inicio?: SQL;
  anterior_fim?: SQL;
}

export const instantJson = (value: SQL | undefined) => sql`to_json(${value}::timestamptz)::text`;

/** Adds the same report over an earlier range as `anterior`, of the same snapshot (R10). */
export const withEarlierRange = <Q extends object>(
  build: (given: Given<Q>, scope: Scope, shape: Shape) => SQL,
  given: Given<Q>,
  scope: Scope,
  shape: Shape,
): SQL => {
  const { anterior_inicio: start, anterior_fim: end } = given as EarlierRange;
  if (!start || !end) return build(given, scope, shape);
  const earlier = build({ ...given, data_inicio: start, data_fim: end }, scope, shape);
  return sql`
    select left(report.body, -1)
      || ',"anterior":{"inicio":' || ${instantJson(start)} || ',"fim":' || ${instantJson(end)}
      || ',' || substr(earlier.body, 2) || '}' as body
    from (${build(given, scope, shape)}) as report, (${earlier}) as earlier`;
};

/** The body without `anterior.fim`, which may move every minute (R23). */
export const withoutEarlierEnd = ({ anterior_fim: end }: EarlierRange): SQL | undefined =>
  end && sql`replace(body, '"fim":' || ${instantJson(end)}, '')`;

export const jsonQuery = <Q extends object, T>(
  build: (given: Given<Q>, scope: Scope, shape: Shape) => SQL,
  { refusal, etagSource }: Options = {},
) => {
  const toStatement = statement<Q>((given, scope, shape) =>
    withEtag(withEarlierRange(build, given, scope, shape), etagSource ?? withoutEarlierEnd(given)),
  );
  return async (db: Db, rights: Rights, q: Q): Promise<JsonText<T>> => {
    const finished = assertRow(await db<FinishedBody>(toStatement(rights, q)));
    if (finished.body === null && refusal !== undefined) throw new Refusal(400, refusal);
    return finished;
  };
};

/** @param row the schema of a row */
export const rowsQuery = <Q extends object, T>(
  row: z.ZodObject,
  build: (given: Given<Q>, scope: Scope) => SQL,
) => {
  const kinds = kindsOf(row);
  return jsonQuery<Q, T>(
    (given, scope, shape) => sql`select ${tableBody(kinds, build(given, scope), shape)} as body`,
  );
};
