import pg from "pg";
import { generateWarehouse } from "../warehouse/generate.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";

/** Runs something with a connection of its own. */
export const connected = async <T>(url: string, use: (db: pg.Client) => Promise<T>): Promise<T> => {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    return await use(db);
  } finally {
    await db.end();
  }
};

/**
 * A warehouse of so many visits on a server, kept under `bench_<visits>` for the next run.
 * @returns its connection string
 */
export const benchDatabase = async (server: string, visits: number, progress: (line: string) => void) => {
  const name = `bench_${visits}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const { rowCount } = await connected(server, (db) =>
    db.query("select from pg_database where datname = $1", [name]),
  );
  if (!rowCount) await connected(server, (db) => db.query(`create database ${name}`));
  await migrateWarehouse(url.href);
  await connected(url.href, async (db) => {
    const { rowCount: filled } = await db.query("select from estabelecimentos limit 1");
    if (!filled) await generateWarehouse(db, { visits, progress });
    await db.query("vacuum analyze");
  });
  return url.href;
};
