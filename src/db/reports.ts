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

export const jsonReport = <Q extends object, T>(
  build: (given: Given<Q>, scope: Scope, shape: Shape) => SQL,
  { refusal, etagSource }: Options = {},
) => {
  const toStatement = statement<Q>((given, scope, shape) => withEtag(build(given, scope, shape), etagSource));
  return async (db: Db, rights: Rights, q: Q): Promise<JsonText<T>> => {
    const finished = assertRow(await db<FinishedBody>(toStatement(rights, q)));
    if (finished.body === null && refusal !== undefined) throw new Refusal(400, refusal);
    return finished;
  };
};

/** @param row the schema of a row */
export const rowsReport = <Q extends object, T>(
  row: z.ZodObject,
  build: (given: Given<Q>, scope: Scope) => SQL,
) => {
  const kinds = kindsOf(row);
  return jsonReport<Q, T>(
    (given, scope, shape) => sql`select ${tableBody(kinds, build(given, scope), shape)} as body`,
  );
};
