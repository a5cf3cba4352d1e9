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

// Advisory lock key that prevents concurrent runs.
const LOCK = 727_003;

interface Options {
  /** Folder of the migrations, if not this project's. */
  folder?: string;
  /** Receives a line when the run has to wait. */
  progress?: (line: string) => void;
}

/**
 * Applies missing migrations in one transaction and sets the rights and settings of the API's role. Does nothing if
 * both are up to date. An advisory lock blocks concurrent runs until the transaction ends.
 * @param url connection string of the owner, with the direct host instead of the pooler
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
      // Hide notices of "if not exists", and lift a statement timeout set for the role.
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
