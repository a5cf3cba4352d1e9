import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";

const FOLDER = new URL("../../migrations", import.meta.url).pathname;
// Any number will do, as long as every migration of this service takes the same lock.
const LOCK = 727_001;

/** Brings a database up to the newest migration; without effect when it is there already. */
export const migrateWarehouse = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    // Re-running "create schema if not exists" is worth no notice.
    await client.query("set client_min_messages = warning");
    await migrate(drizzle(client), { migrationsFolder: FOLDER }).catch((error: Error) => {
      // The driver's message holds the whole statement; what is wrong with it is the cause.
      throw new Error(
        `The migration failed: ${error.cause instanceof Error ? error.cause.message : error.message}`,
      );
    });
  } finally {
    await client.end();
  }
};

if (import.meta.main) {
  const url = process.env.DATABASE_URL;
  if (!url) {
    console.error("DATABASE_URL is not set: give the connection string of the database to migrate.");
    process.exit(2);
  }
  await migrateWarehouse(url).then(
    () => console.log("The database is at the newest migration."),
    (error: Error) => {
      console.error(error.message);
      process.exit(1);
    },
  );
}
