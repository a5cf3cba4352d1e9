// @module-tag server
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { connected } from "../../../tools/warehouse/databases.ts";
import { loaderTable, writtenLoaderTable } from "../../../tools/warehouse/loader-table.ts";
import { migrateWarehouse } from "../../../tools/warehouse/migrate.ts";
import { SCHEMA_FILE, schemaOf } from "../../../tools/warehouse/schema.ts";
import { type Database, openDatabase, openMigrated } from "../../support/node/databases.ts";

const server = process.env.TEST_DATABASE_URL;
const pinned = readFileSync(SCHEMA_FILE, "utf8");

let database: Database;
beforeAll(async () => {
  database = await openMigrated(server);
});
afterAll(() => database.close());

it("migrations/schema.sql is the schema of a migrated database: `npm run db:schema` updates it", async () => {
  expect(await connected(database.url, schemaOf)).toBe(pinned);
});

it("docs/loaders.md has the columns of a migrated database: `npm run db:schema` updates it", async () => {
  expect(writtenLoaderTable()).toBe(await connected(database.url, loaderTable));
});

it.runIf(inject("isServer"))(
  "a database restored from a dump and migrated has the schema in migrations/schema.sql",
  async () => {
    const copy = await openDatabase(server);
    try {
      const dump = execFileSync("pg_dump", ["--no-owner", "--no-privileges", database.url], {
        maxBuffer: 2 ** 28,
      });
      execFileSync("psql", ["-q", "-v", "ON_ERROR_STOP=1", copy.url], { input: dump });
      await migrateWarehouse(copy.url);
      expect(await connected(copy.url, schemaOf)).toBe(pinned);
    } finally {
      await copy.close();
    }
  },
);
