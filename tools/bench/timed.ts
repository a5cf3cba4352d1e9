import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type pg from "pg";
import type { Statement } from "../../src/core/database.ts";
import { atMost, type Figure, inTurn, median, spread } from "./figures.ts";
import type { Question } from "./routes.ts";

const dialect = new PgDialect();
/** A fragment as the service writes it. */
export const asStatement = (fragment: SQL): Statement => {
  const { sql: text, params: values } = dialect.sqlToQuery(fragment);
  return { text, values };
};

/** A text without parameters. */
export const plainly = (text: string): Statement => ({ text, values: [] });

/** What a question sends: a statement, and the one before it where it has one. */
export const statementOf = async (ask: Question): Promise<Statement> => {
  let sent: Statement | undefined;
  await ask(async (statement) => {
    sent = statement;
    return { body: "", tag: "", link_value: "0" } as never;
  });
  if (sent === undefined) throw new Error("the question sent no statement");
  return sent;
};

/** A statement and where it is run. */
export interface Run {
  on: pg.Client;
  statement: Statement;
}

/** Runs a statement after the one that comes before it, if one does, as the service does: in one transaction. */
const inTransaction = async <T>({ on, statement: { first } }: Run, use: () => Promise<T>): Promise<T> => {
  if (first === undefined) return use();
  await on.query("begin isolation level read committed read only");
  await on.query(first);
  const result = await use();
  await on.query("commit");
  return result;
};

/** Milliseconds a text takes by Postgres's own clock, planning included. */
const explained = async (on: pg.Client, text: string, values: unknown[]): Promise<number> => {
  const { rows } = await on.query({ text: `explain (analyze, timing off, format json) ${text}`, values });
  const [plan] = rows[0]["QUERY PLAN"];
  return plan["Planning Time"] + plan["Execution Time"];
};

/** The same of a statement and the one before it. */
const timed = async (run: Run): Promise<number> => {
  const { first, text, values } = run.statement;
  const before = first === undefined ? 0 : await explained(run.on, first, []);
  return before + (await inTransaction(run, () => explained(run.on, text, values)));
};

/** What a statement answers, for comparison. */
export const answer = (run: Run) =>
  inTransaction(run, () => run.on.query({ text: run.statement.text, values: run.statement.values }));

/** @throws when two answers differ by more than how numbers are written */
export const same = (a: unknown, b: unknown, what: string) => {
  const [one, two] = [a, b].map((answer) =>
    JSON.stringify(answer, (_, v) => (typeof v === "number" ? v.toFixed(4) : v)),
  );
  if (one !== two)
    throw new Error(`${what}: our answer is not the raw one\n${one?.slice(0, 400)}\n${two?.slice(0, 400)}`);
};

const timedTogether = async (runs: Run[]): Promise<number> => {
  let taken = 0;
  for (const run of runs) taken += await timed(run);
  return taken;
};

/**
 * Times two statements in turn, or one beside several together.
 * @param bar the most that ours may take, in theirs
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
