import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { closeDemoMonths } from "../../../tools/local/demo-closings.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../tools/local/embedded-postgres.ts";
import { connected, databaseNamed, temporaryDatabase } from "../../../tools/warehouse/databases.ts";
import { generateWarehouse } from "../../../tools/warehouse/generate.ts";
import { migrateWarehouse } from "../../../tools/warehouse/migrate.ts";
import { cheapHash } from "../cheap-hash.ts";

export type Database = Omit<EmbeddedPostgres, "dump" | "socket">;

/** A database to copy. It starts as a copy of its base, or empty, and is then filled. */
interface Template {
  name: string;
  base?: Template;
  fill: (url: string, server?: string) => Promise<void>;
}

// Templates live for one test run. Each test file that needs a database copies one.
const RUN_FOLDER = process.env.TEST_RUN_FOLDER ?? "";

const ROLES = "hashtext('roles of a test run')";

/** Migrates a database. On a server, first waits for a test that holds `withoutMigrations`. */
const migrate = (url: string, server?: string): Promise<void> =>
  server
    ? connected(server, async (db) => {
        await db.query(`select pg_advisory_lock_shared(${ROLES})`);
        await migrateWarehouse(url);
      })
    : migrateWarehouse(url);

/**
 * Runs `use` while no other step migrates its copy of a database. For a test that changes roles which each migration
 * checks: roles belong to the whole server.
 */
export const withoutMigrations = (server: string, use: () => Promise<void>): Promise<void> =>
  connected(server, async (db) => {
    await db.query(`select pg_advisory_lock(${ROLES})`);
    await use();
  });

// Embedded, an empty database takes seconds, too.
const EMPTY: Template = { name: "empty", fill: async () => undefined };
const MIGRATED: Template = { name: "migrated", fill: migrate };

const embeddedCopy = async (template: Template): Promise<EmbeddedPostgres> => {
  const { name, base = EMPTY, fill } = template;
  const file = join(RUN_FOLDER, `${name}.tar`);
  if (!existsSync(file)) {
    const original = await (template === EMPTY ? startEmbeddedPostgres() : embeddedCopy(base));
    await fill(original.url);
    const bytes = new Uint8Array(await (await original.dump()).arrayBuffer());
    await original.close();
    // Two processes may create the template at once: write to a separate file, then rename it atomically.
    writeFileSync(`${file}.${process.pid}`, bytes);
    renameSync(`${file}.${process.pid}`, file);
  }
  return startEmbeddedPostgres(undefined, new Blob([readFileSync(file)]));
};

/** The name of a run: a part of the names of its databases. */
const runNameOf = (folder: string) => basename(folder).toLowerCase().replaceAll(/\W/g, "_");
const RUN = runNameOf(RUN_FOLDER);

const templateName = (name: string) => `template_${name}_${RUN}`;

const newDatabase = (server: string, template?: string) =>
  temporaryDatabase(server, `salon_test_${RUN}`, template);

/** Creates the template on the server if it is missing. Holds its lock while `use` copies it. */
const withTemplate = <T>(server: string, template: Template, use: (name: string) => Promise<T>): Promise<T> =>
  connected(server, async (db) => {
    const name = templateName(template.name);
    await db.query("select pg_advisory_lock(hashtext($1))", [name]);
    const { rowCount } = await db.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) {
      const unfinished = `unfinished_${name}`;
      const create = (options = "") => db.query(`create database ${unfinished}${options}`);
      await db.query(`drop database if exists ${unfinished} with (force)`);
      if (template.base) await withTemplate(server, template.base, (base) => create(` template ${base}`));
      else await create();
      await template.fill(databaseNamed(server, unfinished), server);
      await db.query(`alter database ${unfinished} rename to ${name}`);
    }
    return use(name);
  });

const serverCopy = async (server: string, template: Template): Promise<Database> => {
  const copy = await withTemplate(server, template, (name) => newDatabase(server, name));
  // Postgres does not copy per-database role settings with a template. Migrating sets them again.
  await migrate(copy.url, server);
  return copy;
};

/** Copies a template; `close` drops the copy. @param server connection string; without one, the embedded Postgres */
const copyOf = (server: string | undefined, template: Template): Promise<Database> =>
  server ? serverCopy(server, template) : embeddedCopy(template);

/** An empty database for this run: embedded, or a new one on a server. */
export const openDatabase = (server: string | undefined): Promise<Database> =>
  server ? newDatabase(server) : embeddedCopy(EMPTY);

export const openMigrated = (server: string | undefined) => copyOf(server, MIGRATED);

export const DEMO_USER = { email: "demo@example.com", name: "Demo", password: "demo-password" };

/** A demo warehouse with one user. */
export const openDemo = async (server: string | undefined, visits: number) => {
  const copy = await copyOf(server, {
    name: `demo_${visits}`,
    base: MIGRATED,
    fill: (url) =>
      connected(url, async (db) => {
        await generateWarehouse(db, { visits });
        if (server === undefined) await closeDemoMonths(db);
        await db.query("insert into users (email, name, password_hash) values ($1, $2, $3)", [
          DEMO_USER.email,
          DEMO_USER.name,
          cheapHash(DEMO_USER.password),
        ]);
      }),
  });
  // Migrating a copy draws new epochs, in which older markers would not count.
  if (server !== undefined) await connected(copy.url, closeDemoMonths);
  return copy;
};

/** @param kind a part of the names to drop @throws without the name of a run, as every database would match */
const dropOfRun = (server: string, kind: string): Promise<void> =>
  connected(server, async (db) => {
    if (RUN === "") throw new Error("TEST_RUN_FOLDER is not set: it names the run whose databases to drop");
    const { rows } = await db.query(
      "select datname from pg_database where position($1 in datname) > 0 and position($2 in datname) > 0",
      [`_${RUN}`, kind],
    );
    for (const { datname } of rows) await db.query(`drop database if exists "${datname}" with (force)`);
  });

/** Drops this run's templates from a server. */
export const dropTemplates = (server: string): Promise<void> => dropOfRun(server, "template_");

/** Drops all databases of this run from a server, also those of interrupted tests. */
export const dropDatabases = (server: string): Promise<void> => dropOfRun(server, "_");
