import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Db, JsonText } from "../../core/database.ts";
import { tableBody } from "./csv-sql.ts";
import { assertRow, type FinishedBody, finishBody } from "./json-sql.ts";
import { kindsOf } from "./kinds.ts";
import type { ReadRequest, Shape } from "./read-request.ts";
import type { Scope } from "./scope.ts";
import { type Earlier, type PlaceholdersOf, statement } from "./statement.ts";

interface Options {
  /** The text to hash for the entity tag, if part of the body changes on every request. */
  etagSource?: SQL;
}

export const jsonQuery = <Q extends object, T>(
  build: (placeholders: PlaceholdersOf<Q>, scope: Scope, shape: Shape, earlier: Earlier | undefined) => SQL,
  options: Options = {},
) => {
  const toStatement = statement<Q>((...asked) => finishBody(build(...asked), options));
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
