import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type pg from "pg";
import { connected } from "./databases.ts";

const FOLDER = join(import.meta.dirname, "../../migrations");

interface Migration {
  tag: string;
  statements: string[];
  hash: string;
  /** Creation time in epoch milliseconds, by which the database knows the migration. */
  at: number;
}

/** The database has migrations that are not those of this checkout. */
export class MigrationConflict extends Error {
  constructor(what: string) {
    super(
      `${what}. Nothing was changed. What to do: docs/deploying.md, "If db:migrate refuses the database".`,
    );
  }
}

/** The migrations of a folder, oldest first. */
const migrationsIn = (folder: string): Migration[] => {
  const { entries } = JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8"));
  return readMigrationFiles({ migrationsFolder: folder }).map(({ sql, hash, folderMillis }, n) => ({
    tag: entries[n].tag as string,
    statements: sql,
    hash,
    at: folderMillis,
  }));
};

/** The hashes of the migrations that a database has applied, by creation time. */
const appliedTo = async (db: pg.Client): Promise<Map<number, string>> => {
  const { rows: known } = await db.query("select to_regclass('drizzle.__drizzle_migrations') as log");
  if (!known[0].log) return new Map();
  const { rows } = await db.query<{ at: string; hash: string }>(
    // One without a time is unknown: its number is negative.
    "select coalesce(created_at, -id) as at, hash from drizzle.__drizzle_migrations",
  );
  return new Map(rows.map(({ at, hash }) => [Number(at), hash]));
};

/**
 * The migrations a database lacks, oldest first. Only reads, and takes no explicit lock.
 * @throws MigrationConflict if it has applied others than those of this checkout
 */
export const missingMigrations = async (db: pg.Client, folder = FOLDER): Promise<Migration[]> => {
  const migrations = migrationsIn(folder);
  const applied = await appliedTo(db);
  const edited = migrations.filter(({ at, hash }) => (applied.get(at) ?? hash) !== hash);
  if (edited.length > 0)
    throw new MigrationConflict(
      `The database applied another version of the migration ${edited.map(({ tag }) => tag).join(", ")} than this checkout has`,
    );
  const known = new Set(migrations.map(({ at }) => at));
  const unknown = [...applied.keys()].filter((at) => !known.has(at)).length;
  if (unknown > 0)
    throw new MigrationConflict(
      `The database has ${unknown} ${unknown === 1 ? "migration" : "migrations"} that this checkout lacks`,
    );
  return migrations.filter(({ at }) => !applied.has(at));
};

/** The names of missing migrations. @param url connection string of a role that may read the migrations log */
export const pendingMigrations = (url: string): Promise<string[]> =>
  connected(url, async (db) => (await missingMigrations(db)).map(({ tag }) => tag));
