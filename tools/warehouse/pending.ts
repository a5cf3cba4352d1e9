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
  /** Creation time in epoch milliseconds, which defines the order. */
  at: number;
}

/** The migrations a database lacks, oldest first. Only reads, and takes no explicit lock. */
export const missingMigrations = async (db: pg.Client, folder = FOLDER): Promise<Migration[]> => {
  const { rows: known } = await db.query("select to_regclass('drizzle.__drizzle_migrations') as log");
  const { rows: done } = known[0].log
    ? await db.query("select max(created_at) as last from drizzle.__drizzle_migrations")
    : { rows: [] };
  const last = Number(done[0]?.last ?? 0);
  const { entries } = JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8"));
  return readMigrationFiles({ migrationsFolder: folder })
    .map(({ sql, hash, folderMillis }, n) => ({
      tag: entries[n].tag as string,
      statements: sql,
      hash,
      at: folderMillis,
    }))
    .filter(({ at }) => at > last);
};

/** The names of missing migrations. @param url connection string of a role that may read the migrations log */
export const pendingMigrations = (url: string): Promise<string[]> =>
  connected(url, async (db) => (await missingMigrations(db)).map(({ tag }) => tag));
