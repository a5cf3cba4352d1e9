import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../tools/local/embedded-postgres.ts";
import { addUser } from "../../tools/users.ts";
import { connected, databaseNamed, temporaryDatabase } from "../../tools/warehouse/databases.ts";
import { generateWarehouse } from "../../tools/warehouse/generate.ts";
import { migrateWarehouse } from "../../tools/warehouse/migrate.ts";

/** A database: its connection string and `close`. */
export type Database = Omit<EmbeddedPostgres, "dump">;

/** Fills an empty database. */
type Make = (url: string) => Promise<void>;

// Templates are kept for a run, and copied by every file of tests that wants one.
const RUN = process.env.TEST_RUN_FOLDER ?? "";

const embeddedCopy = async (name: string, make: Make): Promise<Database> => {
  const file = join(RUN, `${name}.tar`);
  if (!existsSync(file)) {
    const original = await startEmbeddedPostgres();
    await make(original.url);
    const bytes = new Uint8Array(await (await original.dump()).arrayBuffer());
    await original.close();
    // Two processes may make it at once: each writes a file of its own and puts it in place whole.
    writeFileSync(`${file}.${process.pid}`, bytes);
    renameSync(`${file}.${process.pid}`, file);
  }
  return startEmbeddedPostgres(undefined, new Blob([readFileSync(file)]));
};

/** The name of a template on a server: each run has its own. */
const templateName = (name: string) =>
  `template_${name}_${basename(RUN).toLowerCase().replaceAll(/\W/g, "_")}`;

const serverCopy = async (server: string, name: string, make: Make): Promise<Database> => {
  const template = templateName(name);
  const unfinished = `unfinished_${template}`;
  const copy = await connected(server, async (db) => {
    // Other processes wait here until the template and this copy of it exist.
    await db.query("select pg_advisory_lock(hashtext($1))", [template]);
    const { rowCount } = await db.query("select from pg_database where datname = $1", [template]);
    if (rowCount === 0) {
      await db.query(`drop database if exists ${unfinished} with (force)`);
      await db.query(`create database ${unfinished}`);
      await make(databaseNamed(server, unfinished));
      await db.query(`alter database ${unfinished} rename to ${template}`);
    }
    return temporaryDatabase(server, "salon_test", template);
  });
  // Settings of a role in a database are not copied with it: migrating sets them.
  await migrateWarehouse(copy.url);
  return copy;
};

/** A copy of a template, gone when it is closed. @param server the one to use instead of the embedded Postgres */
const copyOf = (server: string | undefined, name: string, make: Make): Promise<Database> =>
  server ? serverCopy(server, name, make) : embeddedCopy(name, make);

/** An empty database that is there for this run alone: embedded, or a new one on a server. */
export const openDatabase = (server: string | undefined): Promise<Database> =>
  server ? temporaryDatabase(server, "salon_test") : embeddedCopy("empty", async () => undefined);

/** A database with the newest schema. */
export const openMigrated = (server: string | undefined) => copyOf(server, "migrated", migrateWarehouse);

export const DEMO_USER = { email: "demo@example.com", name: "Demo", password: "demo-password" };

/** A warehouse of the demo chain with one user. */
export const openDemo = (server: string | undefined, visits: number) =>
  copyOf(server, `demo_${visits}`, async (url) => {
    await migrateWarehouse(url);
    await connected(url, async (db) => {
      await generateWarehouse(db, { visits });
      await addUser(db, DEMO_USER);
    });
  });

/** Drops the templates of this run from a server. */
export const dropTemplates = (server: string): Promise<void> =>
  connected(server, async (db) => {
    const { rows } = await db.query("select datname from pg_database where datname like $1", [
      `%${templateName("%")}`,
    ]);
    for (const { datname } of rows) await db.query(`drop database if exists "${datname}" with (force)`);
  });
