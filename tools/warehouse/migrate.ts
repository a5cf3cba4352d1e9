import type pg from "pg";
import { databaseUrl, fail, readArguments } from "../arguments.ts";
import { connected, givingWay } from "./databases.ts";
import { drawEpochElsewhere } from "./feeds.ts";
import { missingMigrations } from "./pending.ts";
import { makeReader, settleReader } from "./reader-role.ts";

const USAGE = `Brings the database that DATABASE_URL names to the newest migration, and the API's role to its rights and settings.

  DATABASE_URL=postgres://… npm run db:migrate

DATABASE_URL is the connection string of the owner of the database to migrate, by the direct host. All of it is one
transaction; a second run changes nothing.`;

// The advisory lock that keeps two runs apart.
const LOCK = 727_003;

interface Options {
  /** Where the migrations are, if not in this project. */
  folder?: string;
  /** Is told what the run waits for. */
  progress?: (line: string) => void;
}

/**
 * Brings a database up to the newest migration and the API's role to its rights and settings; without effect when all of
 * that is so already. What is missing is applied in one transaction, which holds the lock against a second run: it ends
 * with the transaction, whatever else happens.
 * @param url connection string of the owner, by the direct host
 */
export const migrateWarehouse = async (
  url: string,
  { folder, progress = () => undefined }: Options = {},
): Promise<void> => {
  refusePooler(url);
  await connected(url, async (db) => {
    await makeReader(db);
    let current = "The run";
    const apply = async () => {
      // "if not exists" is worth no notice; a role's own limits are for its readers.
      await db.query("set local client_min_messages = warning; set local statement_timeout = 0");
      await takeTurn(db, progress);
      await db.query(`create schema if not exists drizzle;
        create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
      for (const { tag, statements, hash, at } of await missingMigrations(db, folder)) {
        current = `Migration ${tag}`;
        for (const statement of statements) await db.query(statement);
        const note = "insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)";
        await db.query(note, [hash, at]);
      }
      current = "Drawing an epoch";
      if (await drawEpochElsewhere(db))
        progress("This database is a copy: its change feeds are begun again by those who follow them.");
      current = "Setting up the API's role";
      await settleReader(db, progress);
    };
    await givingWay(db, () => current, progress, apply).catch((error: Error & { code?: string }) => {
      throw error.code === undefined
        ? error
        : new Error(`${current} failed: ${error.message}`, { cause: error });
    });
  });
};

const refusePooler = (url: string): void => {
  const { hostname } = new URL(url);
  if (/^[^.]+-pooler\./.test(hostname)) {
    const direct = hostname.replace("-pooler.", ".");
    throw new Error(`${hostname} is a pooled host: migrations need the direct one, ${direct}.`);
  }
};

/** Waits until no other run is under way. */
const takeTurn = async (db: pg.Client, progress: (line: string) => void): Promise<void> => {
  const { rows } = await db.query(
    "select pg_try_advisory_xact_lock($1) as mine, current_setting('lock_timeout') as timeout",
    [LOCK],
  );
  if (rows[0].mine) return;
  progress("Another run migrates this database: waiting until it ends.");
  await db.query("set local lock_timeout = 0");
  await db.query("select pg_advisory_xact_lock($1)", [LOCK]);
  await db.query(`set local lock_timeout = '${rows[0].timeout}'`);
};

if (import.meta.main) {
  readArguments(USAGE, {});
  await migrateWarehouse(databaseUrl(USAGE), { progress: console.error }).then(
    () => console.log("The database is at the newest migration."),
    (error: Error) => fail(error.message, 1),
  );
}
