import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../tools/local/embedded-postgres.ts";
import { addUser } from "../../tools/users.ts";
import { connected, databaseNamed, temporaryDatabase } from "../../tools/warehouse/databases.ts";
import { generateWarehouse } from "../../tools/warehouse/generate.ts";
import { migrateWarehouse } from "../../tools/warehouse/migrate.ts";

export type Database = Omit<EmbeddedPostgres, "dump">;

/** Fills an empty database. */
type Fill = (url: string) => Promise<void>;

// Templates live for one test run. Each test file that needs a database copies one.
const RUN_FOLDER = process.env.TEST_RUN_FOLDER ?? "";

const embeddedCopy = async (name: string, fill: Fill): Promise<Database> => {
  const file = join(RUN_FOLDER, `${name}.tar`);
  if (!existsSync(file)) {
    const original = await startEmbeddedPostgres();
    await fill(original.url);
    const bytes = new Uint8Array(await (await original.dump()).arrayBuffer());
    await original.close();
    // Two processes may create the template at once: write to a separate file, then rename it atomically.
    writeFileSync(`${file}.${process.pid}`, bytes);
    renameSync(`${file}.${process.pid}`, file);
  }
  return startEmbeddedPostgres(undefined, new Blob([readFileSync(file)]));
};

const templateName = (name: string) =>
  `template_${name}_${basename(RUN_FOLDER).toLowerCase().replaceAll(/\W/g, "_")}`;

const serverCopy = async (server: string, name: string, fill: Fill): Promise<Database> => {
  const template = templateName(name);
  const unfinished = `unfinished_${template}`;
  const copy = await connected(server, async (db) => {
    // Other processes wait here until the template and this copy of it exist.
    await db.query("select pg_advisory_lock(hashtext($1))", [template]);
    const { rowCount } = await db.query("select from pg_database where datname = $1", [template]);
    if (rowCount === 0) {
      await db.query(`drop database if exists ${unfinished} with (force)`);
      await db.query(`create database ${unfinished}`);
      await fill(databaseNamed(server, unfinished));
      await db.query(`alter database ${unfinished} rename to ${template}`);
    }
    return temporaryDatabase(server, "salon_test", template);
  });
  // Postgres does not copy per-database role settings with a template. Migrating sets them again.
  await migrateWarehouse(copy.url);
  return copy;
};

/** Copies a template; `close` drops the copy. @param server connection string; without one, the embedded Postgres */
const copyOf = (server: string | undefined, name: string, fill: Fill): Promise<Database> =>
  server ? serverCopy(server, name, fill) : embeddedCopy(name, fill);

/** An empty database for this run: embedded, or a new one on a server. */
export const openDatabase = (server: string | undefined): Promise<Database> =>
  server ? temporaryDatabase(server, "salon_test") : embeddedCopy("empty", async () => undefined);

export const openMigrated = (server: string | undefined) => copyOf(server, "migrated", migrateWarehouse);

export const DEMO_USER = { email: "demo@example.com", name: "Demo", password: "demo-password" };

/** A demo warehouse with one user. */
export const openDemo = (server: string | undefined, visits: number) =>
  copyOf(server, `demo_${visits}`, async (url) => {
    await migrateWarehouse(url);
    await connected(url, async (db) => {
      await generateWarehouse(db, { visits });
      await addUser(db, DEMO_USER);
    });
  });

/** Drops this run's templates from a server. */
export const dropTemplates = (server: string): Promise<void> =>
  connected(server, async (db) => {
    const { rows } = await db.query("select datname from pg_database where datname like $1", [
      `%${templateName("%")}`,
    ]);
    for (const { datname } of rows) await db.query(`drop database if exists "${datname}" with (force)`);
  });
