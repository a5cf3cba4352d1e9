import { type SQL, sql } from "drizzle-orm";
import type { Db, JsonText } from "../core/database.ts";
import { Refusal } from "../core/errors.ts";
import { assertRow, dataObject, type FinishedBody, withEtag } from "./json-sql.ts";
import { type Placeholders, statement } from "./statement.ts";

interface Options {
  /** The message of the 400 that is thrown if the statement returns null as `body`. */
  refusal?: string;
  /** The text to hash for the entity tag, if part of the body changes on every request. */
  etagSource?: SQL;
}

export const jsonReport = <Q extends object, T>(
  build: (given: Placeholders<Q>) => SQL,
  { refusal, etagSource }: Options = {},
) => {
  const toStatement = statement<Q>((given) => withEtag(build(given), etagSource));
  return async (db: Db, q: Q): Promise<JsonText<T>> => {
    const finished = assertRow(await db<FinishedBody>(toStatement(q)));
    if (finished.body === null && refusal !== undefined) throw new Refusal(400, refusal);
    return finished;
  };
};

export const rowsReport = <Q extends object, T>(build: (given: Placeholders<Q>) => SQL) =>
  jsonReport<Q, T>((given) => sql`select ${dataObject(build(given))} as body`);
