import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type pg from "pg";
import type { Statement } from "../../src/core/database.ts";
import { UNRESTRICTED } from "../../src/core/rights.ts";
import type { ReadRequest } from "../../src/platform/db/read-request.ts";
import { connected } from "../warehouse/databases.ts";
import { atMost, type Figure, inTurn, median, spread } from "./figures.ts";
import type { RouteQuery } from "./routes.ts";

const dialect = new PgDialect();
export const asStatement = (fragment: SQL): Statement => {
  const { sql: text, params: values } = dialect.sqlToQuery(fragment);
  return { text, values };
};

/** Captures the statement that a query sends, with its prelude. */
export const statementOf = async (
  ask: RouteQuery,
  request: ReadRequest = { rights: UNRESTRICTED, now: Date.now() },
): Promise<Statement> => {
  let sent: Statement | undefined;
  await ask(async (statement) => {
    sent = statement;
    return { body: "", tag: "", link_value: "0" } as never;
  }, request);
  if (sent === undefined) throw new Error("the query sent no statement");
  return sent;
};

/** Connects with the settings of the API's role (migrations). */
export const asApi = <T>(url: string, use: (db: pg.Client) => Promise<T>): Promise<T> =>
  connected(url, async (db) => {
    await db.query("set timezone = 'UTC'; set jit = off");
    return use(db);
  });

export interface Run {
  on: pg.Client;
  statement: Statement;
}

/** Runs a statement and its prelude, if any, in one transaction, as the service does. */
const inTransaction = async <T>({ on, statement: { prelude } }: Run, use: () => Promise<T>): Promise<T> => {
  if (prelude === undefined) return use();
  await on.query("begin isolation level read committed read only");
  await on.query(prelude);
  const result = await use();
  await on.query("commit");
  return result;
};

/** Planning and execution time in ms, as EXPLAIN ANALYZE reports them. */
const explained = async (on: pg.Client, text: string, values: unknown[]): Promise<number> => {
  const { rows } = await on.query({ text: `explain (analyze, timing off, format json) ${text}`, values });
  const [plan] = rows[0]["QUERY PLAN"];
  return plan["Planning Time"] + plan["Execution Time"];
};

/** The same for a statement and its prelude. */
export const timed = async (run: Run): Promise<number> => {
  const { prelude, text, values } = run.statement;
  const before = prelude === undefined ? 0 : await explained(run.on, prelude, []);
  return before + (await inTransaction(run, () => explained(run.on, text, values)));
};

export const answer = (run: Run) =>
  inTransaction(run, () => run.on.query({ text: run.statement.text, values: run.statement.values }));

/** @throws if two answers differ beyond number formatting */
export const assertSame = (a: unknown, b: unknown, what: string) => {
  const [one, two] = [a, b].map((answer) =>
    JSON.stringify(answer, (_, v) => (typeof v === "number" ? v.toFixed(4) : v)),
  );
  if (one !== two)
    throw new Error(`${what}: the results differ\n${one?.slice(0, 400)}\n${two?.slice(0, 400)}`);
};

const timedTogether = async (runs: Run[]): Promise<number> => {
  let total = 0;
  for (const run of runs) total += await timed(run);
  return total;
};

/**
 * Times our statement against one or several others, in turn.
 * @param bar maximum ratio of our time to theirs
 */
export const compare = async (
  measure: string,
  bar: number,
  times: number,
  us: Run,
  them: Run | Run[],
): Promise<Figure> => {
  const theirs = [them].flat();
  const taken = await inTurn(times, { us: () => timed(us), them: () => timedTogether(theirs) });
  return atMost(
    measure,
    median(taken.us) / median(taken.them),
    bar,
    `${spread(taken.us)} / ${spread(taken.them)}`,
  );
};
