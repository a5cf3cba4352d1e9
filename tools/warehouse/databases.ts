import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

/** Runs something with a connection of its own. */
export const connected = async <T>(url: string, use: (db: pg.Client) => Promise<T>): Promise<T> => {
  const db = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // A connection that is lost fails the statement under way; told as an event as well, it would end the process.
  db.on("error", () => undefined);
  await db.connect();
  try {
    return await use(db);
  } finally {
    await db.end();
  }
};

/** Runs something in a transaction that is rolled back where it fails. Each statement sees what was committed before it. */
const inTransaction = async <T>(db: pg.Client, work: () => Promise<T>): Promise<T> => {
  await db.query("begin isolation level read committed read write");
  try {
    const result = await work();
    await db.query("commit");
    return result;
  } catch (error) {
    // Where the connection is gone, the first error tells more.
    await db.query("rollback").catch(() => undefined);
    throw error;
  }
};

/** A statement that waits for a table's lock holds up everybody who comes after it: it gives up and comes again. */
const LOCK_TIMEOUT = "3s";
const PAUSES_MS = [1000, 2000, 4000, 8000];
/** SQLSTATEs of a table that stays locked, and of two that wait for one another's. */
const BLOCKED = new Set(["55P03", "40P01"]);
const WHO_HOLDS_IT =
  "A transaction holds a lock on one of our tables: end it, or wait for its loader, then try again. This finds it: select pid, usename, state, xact_start, left(query, 60) from pg_stat_activity where xact_start is not null order by xact_start";

/**
 * Runs something in a transaction that gives way to whoever holds a lock it needs, and tries it again a few times.
 * @param what is told as the beginning of a sentence when it has to wait
 */
export const givingWay = async (
  db: pg.Client,
  what: () => string,
  progress: (line: string) => void,
  work: () => Promise<void>,
): Promise<void> => {
  for (const pause of [...PAUSES_MS, undefined]) {
    try {
      return await inTransaction(db, async () => {
        await db.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
        await work();
      });
    } catch (error) {
      if (!BLOCKED.has((error as pg.DatabaseError).code ?? "")) throw error;
      const blocked = `${what()} found a table locked for over ${LOCK_TIMEOUT}`;
      if (pause === undefined) throw new Error(`${blocked}. ${WHO_HOLDS_IT}`, { cause: error });
      progress(`${blocked}; trying again in ${pause / 1000} s.`);
      await wait(pause);
    }
  }
};

/** The connection string of another database of the same server. */
export const databaseNamed = (server: string, name: string): string => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
};

/** A new database on a server, gone when it is closed. @param template what it is a copy of; else it is empty */
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
