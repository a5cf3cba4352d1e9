import { type SQL, sql } from "drizzle-orm";
import type { Db, JsonText } from "../core/database.ts";
import { Refusal } from "../core/errors.ts";
import type { Rights } from "../core/rights.ts";
import { assertRow, dataObject, type FinishedBody, withEtag } from "./json-sql.ts";
import type { Scope } from "./scope.ts";
import { type Given, statement } from "./statement.ts";

interface Options {
  /** The message of the 400 that is thrown if the statement returns null as `body`. */
  refusal?: string;
  /** The text to hash for the entity tag, if part of the body changes on every request. */
  etagSource?: SQL;
}

export const jsonReport = <Q extends object, T>(
  build: (given: Given<Q>, scope: Scope) => SQL,
  { refusal, etagSource }: Options = {},
) => {
  const toStatement = statement<Q>((given, scope) => withEtag(build(given, scope), etagSource));
  return async (db: Db, rights: Rights, q: Q): Promise<JsonText<T>> => {
    const finished = assertRow(await db<FinishedBody>(toStatement(rights, q)));
    if (finished.body === null && refusal !== undefined) throw new Refusal(400, refusal);
    return finished;
  };
};

export const rowsReport = <Q extends object, T>(build: (given: Given<Q>, scope: Scope) => SQL) =>
  jsonReport<Q, T>((given, scope) => sql`select ${dataObject(build(given, scope))} as body`);
