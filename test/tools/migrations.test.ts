// @module-tag server
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { connected } from "../../tools/warehouse/databases.ts";
import { verifyFeeds } from "../../tools/warehouse/feeds.ts";
import { migrateWarehouse } from "../../tools/warehouse/migrate.ts";
import { verifyRollups } from "../../tools/warehouse/verify.ts";
import { fillSmallTables, fillTablesWithRollups, insertExistingColumns } from "../oracle/rows.ts";
import { runRandomLoaders } from "../oracle/storm.ts";
import { openDatabase } from "../support/databases.ts";

const FOLDER = join(import.meta.dirname, "../../migrations");

/** The SHA-256 of each released migration. A released migration is never edited: add a new one. */
const RELEASED: Record<string, string> = JSON.parse(
  readFileSync(join(import.meta.dirname, "released-migrations.json"), "utf8"),
);

const sha256 = (file: string) =>
  createHash("sha256")
    .update(readFileSync(join(FOLDER, file)))
    .digest("hex");

/** Migrates a database to an older state, as that release did. */
const migrateAsBefore = (url: string, folder: string) =>
  connected(url, (db) => migrate(drizzle(db), { migrationsFolder: folder }));

/** Copies the migrations up to and including `last`. */
const upTo = (last: string) => {
  const folder = mkdtempSync(join(tmpdir(), "migrations-"));
  cpSync(FOLDER, folder, { recursive: true });
  const path = join(folder, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8"));
  const end = journal.entries.findIndex(({ tag }: { tag: string }) => tag === last) + 1;
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }));
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
};

const openEmptyDatabase = () => openDatabase(process.env.TEST_DATABASE_URL);

describe("a released migration", () => {
  it("is never edited", () => {
    const files = readdirSync(FOLDER).filter((name) => /^\d{4}_.*\.sql$/.test(name));
    // A listed hash may change only while no database but a developer's has the migration.
    expect(Object.fromEntries(files.map((file) => [file, sha256(file)]))).toEqual(RELEASED);
  });
});

describe("db:migrate", () => {
  it("fills the rollups and change feeds of a database that already has rows", async () => {
    const database = await openEmptyDatabase();
    const tables = upTo("0000_tables");
    try {
      await migrateAsBefore(database.url, tables.folder);
      await connected(database.url, async (db) => {
        await fillSmallTables(db, insertExistingColumns);
        await fillTablesWithRollups(db, 3, insertExistingColumns);
      });
      await migrateWarehouse(database.url);
      const differences = async () =>
        [
          ...(await verifyRollups(database.url, { repair: false, report: () => {} })),
          ...(await verifyFeeds(database.url, { repair: false, report: () => {} })),
        ].map(({ differences: count }) => count);
      expect(new Set(await differences())).toEqual(new Set([0]));
      await connected(database.url, (db) => runRandomLoaders([db], 5, 30, inject("isServer")));
      expect(new Set(await differences())).toEqual(new Set([0]));
    } finally {
      tables.remove();
      await database.close();
    }
  });

  it("rejects a pooled host and names the direct one", async () => {
    await expect(
      migrateWarehouse("postgres://o:p@ep-cool-1-pooler.sa-east-1.aws.neon.tech/db"),
    ).rejects.toThrow(
      "ep-cool-1-pooler.sa-east-1.aws.neon.tech is a pooled host: migrations need the direct one, ep-cool-1.sa-east-1.aws.neon.tech.",
    );
  });

  it("names a failed migration and rolls all of it back", async () => {
    const database = await openEmptyDatabase();
    const broken = upTo("0000_tables");
    writeFileSync(
      join(broken.folder, "0000_tables.sql"),
      "create table half (id int);--> statement-breakpoint\nselect 1/0",
    );
    try {
      await expect(migrateWarehouse(database.url, { folder: broken.folder })).rejects.toThrow(
        "Migration 0000_tables failed: division by zero",
      );
      const { rows } = await connected(database.url, (db) => db.query("select to_regclass('half') as half"));
      expect(rows).toEqual([{ half: null }]);
    } finally {
      broken.remove();
      await database.close();
    }
  });

  describe.runIf(inject("isServer"))("on a server", () => {
    const withLoader = async (use: (url: string, loader: pg.Client) => Promise<void>) => {
      const database = await openEmptyDatabase();
      const before = upTo("0000_tables");
      const loader = new pg.Client({ connectionString: database.url });
      try {
        await migrateAsBefore(database.url, before.folder);
        await loader.connect();
        await use(database.url, loader);
      } finally {
        before.remove();
        await loader.end();
        await database.close();
      }
    };
    const write =
      "insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('busy', '101', '{}')";

    it("retries after a lock timeout until the loader has ended", async () => {
      await withLoader(async (url, loader) => {
        await loader.query("begin");
        await loader.query(write);
        const messages: string[] = [];
        const ended: Promise<unknown>[] = [];
        await migrateWarehouse(url, {
          progress: (line) => {
            messages.push(line);
            ended.push(loader.query("commit"));
          },
        });
        await Promise.all(ended);
        expect(messages[0]).toMatch(
          /^Migration \w+ waited over 3s for a locked table\. Trying again in 1 s\.$/,
        );
      });
    });

    it("gives up after some retries and says what to do", async () => {
      await withLoader(async (url, loader) => {
        await loader.query("begin");
        await loader.query(write);
        await expect(migrateWarehouse(url)).rejects.toThrow(
          /A transaction holds a lock on one of our tables: end it/,
        );
      });
    });

    it("waits for another run to end, and keeps no lock afterwards", async () => {
      await withLoader(async (url, loader) => {
        await loader.query("begin; select pg_advisory_xact_lock(727003)");
        const messages: string[] = [];
        const progress = (line: string) => {
          messages.push(line);
          if (messages.length === 2) void loader.query("commit");
        };
        await Promise.all([migrateWarehouse(url, { progress }), migrateWarehouse(url, { progress })]);
        expect(messages).toEqual(
          Array(2).fill("Another run is migrating this database. Waiting until it ends."),
        );
        const { rows } = await loader.query(
          "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
        );
        expect(rows).toEqual([]);
      });
    });
  });
});
