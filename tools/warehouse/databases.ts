import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

/** What the driver says when the other side closes a connection. It says the same before and after signing in. */
const CLOSED = /^Connection terminated|^Client has encountered a connection error|ECONNRESET|EPIPE/;
const NO_ANSWER = /timeout expired/;

/** An error of the driver while it connects: some have no message of their own, and some say nothing about the cause. */
const toConnectError = (error: Error & { errors?: Error[] }): Error => {
  // An AggregateError has one error for each address of a host.
  const messages = new Set((error.errors ?? [error]).map(({ message }) => message));
  const why = CLOSED.test(error.message)
    ? "the server closed the connection, so it may be no PostgreSQL server"
    : NO_ANSWER.test(error.message)
      ? "no answer within five seconds"
      : [...messages].join(", ");
  return new Error(`The database did not accept a connection: ${why}. Check DATABASE_URL, then try again.`, {
    cause: error,
  });
};

/** Opens a connection, passes it to `use` and closes it. */
export const connected = async <T>(url: string, use: (db: pg.Client) => Promise<T>): Promise<T> => {
  const db = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // A lost connection already fails the running statement. An unhandled error event would end the process.
  db.on("error", () => undefined);
  await db.connect().catch((error: Error) => {
    throw toConnectError(error);
  });
  try {
    return await use(db);
  } catch (error) {
    if (!CLOSED.test((error as Error).message)) throw error;
    throw new Error(
      "The database closed the connection before the command ended. Find out what the command has done, then run it again.",
      { cause: error },
    );
  } finally {
    await db.end();
  }
};

/** Runs work in a transaction and rolls it back on failure. Read committed: each statement sees earlier commits. */
export const inTransaction = async <T>(db: pg.Client, work: () => Promise<T>): Promise<T> => {
  await db.query("begin isolation level read committed read write");
  try {
    const result = await work();
    await db.query("commit");
    return result;
  } catch (error) {
    // If the connection is lost, report the first error, not the failed rollback.
    await db.query("rollback").catch(() => undefined);
    throw error;
  }
};

/** A statement that waits for a table lock blocks all later statements on the table. So it gives up and retries. */
const LOCK_TIMEOUT = "3s";
const PAUSES_MS = [1000, 2000, 4000, 8000];
/** SQLSTATEs of a lock timeout and a deadlock. */
const BLOCKED = new Set(["55P03", "40P01"]);
const FIND_THE_LOCK =
  "A transaction holds a lock on one of our tables: end it or wait until it ends, then try again. To find it: select pid, usename, state, xact_start, left(query, 60) from pg_stat_activity where xact_start is not null order by xact_start";

/**
 * Runs work in a transaction. If a lock is not available, rolls back, pauses and retries a few times.
 * @param what the subject of the sentence that reports a wait
 */
export const retryWhenLocked = async <T>(
  db: pg.Client,
  what: () => string,
  progress: (line: string) => void,
  work: () => Promise<T>,
  [pause, ...later] = PAUSES_MS,
): Promise<T> => {
  try {
    return await inTransaction(db, async () => {
      await db.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      return work();
    });
  } catch (error) {
    if (!BLOCKED.has((error as pg.DatabaseError).code ?? "")) throw error;
    const blocked = `${what()} waited over ${LOCK_TIMEOUT} for a locked table`;
    if (pause === undefined) throw new Error(`${blocked}. ${FIND_THE_LOCK}`, { cause: error });
    progress(`${blocked}. Trying again in ${pause / 1000} s.`);
    await wait(pause);
  }
  return retryWhenLocked(db, what, progress, work, later);
};

export const databaseNamed = (server: string, name: string): string => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
};

/** Creates a database; `close` drops it. @param template the database to copy; without it, the database is empty */
export const temporaryDatabase = async (server: string, prefix: string, template?: string) => {
  const name = `${prefix}_${randomBytes(6).toString("hex")}`;
  const admin = (sql: string) => connected(server, (db) => db.query(sql));
  await admin(`create database ${name}${template ? ` template ${template}` : ""}`);
  return {
    url: databaseNamed(server, name),
    close: async () => {
      await admin(`drop database ${name} with (force)`);
    },
  };
};
