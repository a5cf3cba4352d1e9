// @module-tag server
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { connected } from "../../../tools/warehouse/databases.ts";
import { verifyFeeds } from "../../../tools/warehouse/feeds.ts";
import {
  editedMigrations,
  landedCommits,
  listedHashes,
  migrationHashes,
} from "../../../tools/warehouse/hashes.ts";
import { migrateWarehouse } from "../../../tools/warehouse/migrate.ts";
import { pendingMigrations } from "../../../tools/warehouse/pending.ts";
import { verifySums } from "../../../tools/warehouse/verify.ts";
import { fillSmallTables, fillTablesWithRollups, insertExistingColumns } from "../../oracle/rows.ts";
import { runRandomLoaders } from "../../oracle/storm.ts";
import { openDatabase, openMigrated } from "../../support/node/databases.ts";
import { runTool } from "../../support/node/run-tool.ts";

const FOLDER = join(import.meta.dirname, "../../../migrations");

/** Migrates a database to an older state, as that release did. */
const migrateAsBefore = (url: string, folder: string) =>
  connected(url, (db) => migrate(drizzle(db), { migrationsFolder: folder }));

/** The names of all migrations, oldest first. */
const TAGS: string[] = JSON.parse(readFileSync(join(FOLDER, "meta/_journal.json"), "utf8")).entries.map(
  ({ tag }: { tag: string }) => tag,
);

/** Copies the migrations up to and including `last`, for one test. @returns the folder */
const upTo = (last: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(FOLDER, folder, { recursive: true });
  const path = join(folder, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8"));
  const end = journal.entries.findIndex(({ tag }: { tag: string }) => tag === last) + 1;
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }));
  return folder;
};

/** Opens a database for one test. @returns its URL */
const open = async (openOne = openDatabase): Promise<string> => {
  const database = await openOne(process.env.TEST_DATABASE_URL);
  onTestFinished(() => database.close());
  return database.url;
};

describe("a migration that landed", () => {
  it("has the hash that test/tools/warehouse/released-migrations.json lists, and every migration is listed", () => {
    expect(migrationHashes()).toEqual(listedHashes());
  });

  it("is not edited, renamed or deleted", () => {
    for (const commit of landedCommits()) {
      const { stdout } = spawnSync(
        "git",
        ["diff", "--name-status", "--no-renames", commit, "--", "*.sql", ":!schema.sql"],
        { cwd: FOLDER, encoding: "utf8" },
      );
      expect(stdout.match(/^[^A\n].*/gm)).toBeNull();
    }
  });
});

it("`npm run db:schema` refuses to list another hash of a migration that landed", () => {
  const [now, listed] = [migrationHashes(), listedHashes()];
  const first = "0000_tables.sql";
  expect(editedMigrations()).toEqual([]);
  expect(editedMigrations({ ...now, [first]: "edited" })).toEqual([first]);
  const { [first]: _, ...deleted } = now;
  expect(editedMigrations(deleted)).toEqual([first]);
  // Without git's history, nobody knows what landed.
  const unknown = landedCommits().length > 0 ? [] : ["9999_new.sql"];
  expect(editedMigrations(now, { ...listed, "9999_new.sql": "older" })).toEqual(unknown);
});

describe("db:migrate", () => {
  it("fills the facts, rollups and change feeds of a database that already has rows", async () => {
    const url = await open();
    await migrateAsBefore(url, upTo("0000_tables"));
    await connected(url, async (db) => {
      await fillSmallTables(db, insertExistingColumns);
      await fillTablesWithRollups(db, 3, insertExistingColumns);
    });
    await migrateWarehouse(url);
    const differences = async () =>
      [
        ...(await verifySums(url, { repair: false, report: () => {} })),
        ...(await verifyFeeds(url, { repair: false, report: () => {} })),
      ].map(({ differences: count }) => count);
    expect(new Set(await differences())).toEqual(new Set([0]));
    await connected(url, (db) => runRandomLoaders([db], 5, 30, inject("isServer")));
    expect(new Set(await differences())).toEqual(new Set([0]));
  });

  it("rejects a pooled host and names the direct one", async () => {
    await expect(
      migrateWarehouse("postgres://o:p@ep-cool-1-pooler.sa-east-1.aws.neon.tech/db"),
    ).rejects.toThrow(
      "ep-cool-1-pooler.sa-east-1.aws.neon.tech is a pooled host: migrations need the direct one, ep-cool-1.sa-east-1.aws.neon.tech.",
    );
  });

  it("names a failed migration and rolls all of it back", async () => {
    const url = await open();
    const folder = upTo("0000_tables");
    writeFileSync(
      join(folder, "0000_tables.sql"),
      "create table half (id int);--> statement-breakpoint\nselect 1/0",
    );
    await expect(migrateWarehouse(url, { folder })).rejects.toThrow(
      "Migration 0000_tables failed: division by zero",
    );
    const { rows } = await connected(url, (db) => db.query("select to_regclass('half') as half"));
    expect(rows).toEqual([{ half: null }]);
  });

  /** Runs a command on a database. Returns its exit code and what it printed on stderr. */
  const run = async (script: string, args: string[], url: string) => {
    const { code, errors } = await runTool(`warehouse/${script}`, args, { env: { DATABASE_URL: url } });
    return { code, errors };
  };

  /** The relations, functions, privileges and roles of a database, and the migrations that it applied. */
  const stateOf = (url: string) =>
    connected(url, async (db) => {
      const { rows } = await db.query(
        `select array(select row(oid::regclass, relacl)::text from pg_class where relnamespace = 'public'::regnamespace order by oid) as relations,
           array(select row(oid::regprocedure, proacl)::text from pg_proc where pronamespace = 'public'::regnamespace order by oid) as functions,
           array(select rolname::text from pg_roles where rolname like 'salon\\_api%' order by 1) as roles,
           array(select hash from drizzle.__drizzle_migrations order by id) as applied`,
      );
      return rows;
    });

  it("refuses a database that applied another version of a file, says what to do and changes nothing", async () => {
    const url = await open();
    const edited = upTo("0002_cursors_and_feeds");
    appendFileSync(join(edited, "0001_rollups.sql"), "\n-- edited later\n");
    await migrateAsBefore(url, edited);
    const before = await stateOf(url);
    const message =
      /^The database applied another version of the migration 0001_rollups than this checkout has\. Nothing was changed\. .*docs\/deploying\.md/;
    const { code, errors } = await run("migrate.ts", [], url);
    expect([code, errors]).toEqual([1, expect.stringMatching(message)]);
    expect(await stateOf(url)).toEqual(before);
    // `npm start` asks this of a database on another machine.
    await expect(pendingMigrations(url)).rejects.toThrow(message);
    // The way out that the page describes.
    await connected(url, (db) =>
      db.query("alter schema public rename to legado; create schema public; drop schema drizzle cascade"),
    );
    await migrateWarehouse(url);
  });

  it("refuses a database with migrations that this checkout lacks, and changes nothing", async () => {
    const url = await open(openMigrated);
    const before = await stateOf(url);
    await expect(migrateWarehouse(url, { folder: upTo(TAGS.at(-2) ?? "") })).rejects.toThrow(
      /^The database has 1 migration that this checkout lacks\. Nothing was changed\. /,
    );
    expect(await stateOf(url)).toEqual(before);
  });

  it("refuses a database of another project, whose migrations are all unknown", async () => {
    const url = await open();
    await connected(url, (db) =>
      db.query(`create schema drizzle;
        create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
        insert into drizzle.__drizzle_migrations (hash, created_at) values ('a', 1), ('b', null)`),
    );
    await expect(migrateWarehouse(url)).rejects.toThrow(
      /^The database has 2 migrations that this checkout lacks\./,
    );
  });

  it("applies a migration that was created before the last one applied, but landed after it", async () => {
    const url = await open(openMigrated);
    const folder = upTo(TAGS.at(-1) ?? "");
    const path = join(folder, "meta/_journal.json");
    const journal = JSON.parse(readFileSync(path, "utf8"));
    const [{ when }] = journal.entries;
    journal.entries.push({ ...journal.entries.at(-1), tag: "9999_late", when: when + 1 });
    writeFileSync(path, JSON.stringify(journal));
    writeFileSync(join(folder, "9999_late.sql"), "create table late (id int)");
    await migrateWarehouse(url, { folder });
    const { rows } = await connected(url, (db) => db.query("select to_regclass('late') as late"));
    expect(rows).toEqual([{ late: "late" }]);
  });

  describe.runIf(inject("isServer"))("on a server", () => {
    const withLoader = async (use: (url: string, loader: pg.Client) => Promise<void>) => {
      const url = await open();
      await migrateAsBefore(url, upTo("0000_tables"));
      await connected(url, (loader) => use(url, loader));
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
