import { connected, databaseNamed } from "../warehouse/databases.ts";
import { generateWarehouse } from "../warehouse/generate.ts";
import { CLOSED_UNITS, closedUnits } from "../warehouse/invented/closed-units.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";

/** One client has a fifth of all visits. The others have twelve each, on average. */
const WALK_IN_SHARE = 0.2;

/** Rows of the closed units in each list, enough for a fourth page with a filter. */
const CLOSED_ROWS = 2000;

/**
 * Opens or creates the database `bench_<visits>` on a server. It is kept for the next run.
 * @returns its connection string
 */
export const benchDatabase = async (server: string, visits: number, progress: (line: string) => void) => {
  const name = `bench_${visits}`;
  const url = databaseNamed(server, name);
  const { rowCount } = await connected(server, (db) =>
    db.query("select from pg_database where datname = $1", [name]),
  );
  if (!rowCount) await connected(server, (db) => db.query(`create database ${name}`));
  await migrateWarehouse(url);
  await connected(url, async (db) => {
    const { rowCount: filled } = await db.query("select from estabelecimentos limit 1");
    if (!filled) await generateWarehouse(db, { visits, walkInShare: WALK_IN_SHARE, progress });
    const { rowCount: closed } = await db.query(
      "select from transacoes where estabelecimento_id = any($1) limit 1",
      [CLOSED_UNITS],
    );
    if (!closed) for (const change of closedUnits(CLOSED_ROWS)) await db.query(change);
    await db.query("vacuum analyze");
  });
  return url;
};
