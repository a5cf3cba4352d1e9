import type pg from "pg";
import { databaseUrl, fail, readArguments } from "../arguments.ts";
import { connected, retryWhenLocked } from "./databases.ts";
import { drawEpochElsewhere } from "./feeds.ts";
import { missingMigrations } from "./pending.ts";
import { makeRoles, settleRoles } from "./reader-role.ts";

const USAGE = `Applies all pending migrations, and sets the privileges and settings of the API's two roles.

  DATABASE_URL=postgres://… npm run db:migrate

DATABASE_URL is the connection string of the database's owner, with the direct host, not the pooled one. All changes
are made in one transaction. A second run changes nothing. Exits with 1, and changes nothing, if the database has
applied another version of a migration or one that this checkout lacks.`;

// Advisory lock key that prevents concurrent runs.
const LOCK = 727_003;

interface Options {
  /** Folder of the migrations, if not this project's. */
  folder?: string;
  /** Receives a line when the run has to wait. */
  progress?: (line: string) => void;
}

/**
 * Applies missing migrations and sets privileges and settings of the API's roles, in one transaction and one run at a
 * time. @param url of the owner, with the direct host @throws MigrationConflict if the database has other migrations
 */
export const migrateWarehouse = async (
  url: string,
  { folder, progress = () => undefined }: Options = {},
): Promise<void> => {
  refusePooler(url);
  await connected(url, async (db) => {
    // Before the first change: it refuses a database with other migrations.
    await missingMigrations(db, folder);
    await makeRoles(db);
    let current = "The migration";
    const apply = async () => {
      // Hide notices of "if not exists", and lift a statement timeout set for the role.
      await db.query("set local client_min_messages = warning; set local statement_timeout = 0");
      await takeTurn(db, progress);
      await db.query(`create schema if not exists drizzle;
        create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
      for (const { tag, statements, hash, at } of await missingMigrations(db, folder)) {
        current = `Migration ${tag}`;
        for (const statement of statements) await db.query(statement);
        const record = "insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)";
        await db.query(record, [hash, at]);
      }
      current = "Creating new epochs";
      if (await drawEpochElsewhere(db))
        progress("This database is a copy: its change feeds have new epochs, and their clients start over.");
      current = "Setting up the API's roles";
      await settleRoles(db, progress);
    };
    await retryWhenLocked(db, () => current, progress, apply).catch((error: Error & { code?: string }) => {
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
  progress("Another run is migrating this database. Waiting until it ends.");
  await db.query("set local lock_timeout = 0");
  await db.query("select pg_advisory_xact_lock($1)", [LOCK]);
  await db.query(`set local lock_timeout = '${rows[0].timeout}'`);
};

if (import.meta.main) {
  readArguments(USAGE, {});
  await migrateWarehouse(databaseUrl(USAGE), { progress: console.error }).then(
    () => console.log("All migrations are applied."),
    (error: Error) => fail(error.message, 1),
  );
}
