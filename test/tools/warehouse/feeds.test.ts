// @module-tag server
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { connected, databaseNamed } from "../../../tools/warehouse/databases.ts";
import { FEEDS } from "../../../tools/warehouse/declared.ts";
import { drawEpoch, pruneRemovals, verifyFeeds } from "../../../tools/warehouse/feeds.ts";
import { migrateWarehouse } from "../../../tools/warehouse/migrate.ts";
import { insertRows, randomRows } from "../../oracle/rows.ts";
import { runRandomLoaders } from "../../oracle/storm.ts";
import { openWarehouse, type Warehouse } from "../../oracle/warehouse.ts";

const seed = inject("fuzzSeed");

let warehouse: Warehouse;
let db: pg.Client;

beforeAll(async () => {
  warehouse = await openWarehouse(seed);
  db = warehouse.db;
});
afterAll(() => warehouse.close());

const query = async (sql: string) => (await db.query(sql)).rows;
const verify = (repair = false) => verifyFeeds(warehouse.url, { repair, report: () => undefined });
const differingFeeds = async () => (await verify()).filter(({ differences }) => differences > 0);
const epochs = async (client = db): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await client.query("select list, epoch from change_feeds")).rows.map(({ list, epoch }) => [list, epoch]),
  );
const insert = async (count: number): Promise<number[]> => {
  const rows = randomRows("lancamentos", count, seed);
  return (await insertRows(db, "lancamentos", rows, " returning id::int")).rows.map(({ id }) => id);
};
const entriesOf = (...ids: number[]) =>
  query(
    `select id::int, change::int, removed_at is not null as removed from lancamentos_changes where id = any('{${ids}}') order by change`,
  );

describe("the stored changes", () => {
  it("exist for each path under /v1/alteracoes (C1)", () => {
    const document = readFileSync(
      join(import.meta.dirname, "../../api/openapi/openapi.snapshot.yaml"),
      "utf8",
    );
    const paths = [...document.matchAll(/^ {2}\/v1\/alteracoes\/([\w-]+):$/gm)].map(([, list = ""]) => list);
    expect(paths.map((list) => list.replace("-", "_")).sort()).toEqual(FEEDS);
  });

  it("exist for each list with a feed, and each sequence has its own lock (C1)", async () => {
    expect((await query("select list from change_feeds order by list")).map(({ list }) => list)).toEqual(
      FEEDS,
    );
    const [{ sequences, locks }] = await query(`
      select count(*)::int as sequences, count(distinct sequence_lock(arg, 1))::int as locks
      from (select distinct unnest(string_to_array(encode(tgargs, 'escape'), '\\000')) as arg from pg_trigger t
        join pg_proc p on p.oid = tgfoid where proname = 'lock_sequence_position') as held where arg <> ''`);
    expect(sequences).toBe(6);
    expect(locks).toBe(sequences);
  });

  it("match the tables after writes by many concurrent loaders (C2)", async () => {
    const loaders = await Promise.all(Array.from({ length: inject("isServer") ? 8 : 1 }, warehouse.connect));
    await runRandomLoaders(loaders, seed, inject("isServer") ? 30 : 40, inject("isServer"));
    expect(await verify()).toEqual(FEEDS.map((list) => ({ list, differences: 0, repaired: false })));
    expect(await warehouse.differingSums()).toEqual([]);
  });

  it("number each record that a statement writes above all earlier ones, and keep an entry for a removal (C2)", async () => {
    const [a = 0, b = 0, c = 0] = await insert(3);
    const [before] = await query("select max(change)::int as change from lancamentos_changes");
    await db.query(`update lancamentos set sent_at = now() where id in (${a}, ${b})`);
    await db.query(`delete from lancamentos where id = ${a}`);
    await db.query(`update lancamentos set id = ${c} + 1000000 where id = ${c}`);
    const entries = await entriesOf(a, b, c, c + 1_000_000);
    expect(entries.map(({ id, removed }) => [id, removed])).toEqual(
      expect.arrayContaining([
        [b, false],
        [a, true],
        [c, true],
        [c + 1_000_000, false],
      ]),
    );
    expect(entries[0].id).toBe(b);
    expect(entries[0].change).toBeGreaterThan(before.change);
    expect(new Set(entries.map(({ change }) => change)).size).toBe(4);
  });

  it("include a record that one statement deletes and inserts again, in any order of its triggers (C2)", async () => {
    const [a = 0, b = 0, c = 0, d = 0] = await insert(4);
    await db.query(`with gone as (delete from lancamentos where id in (${a}, ${b}) returning *)
      insert into lancamentos select * from gone limit 1`);
    await db.query(`with moved as (update lancamentos set id = id + 2000000 where id in (${c}, ${d}) returning *)
      insert into lancamentos (id, salon_id, estabelecimento_id, raw_data)
      select id - 2000000, 'again ' || id, estabelecimento_id, raw_data from moved limit 1`);
    expect(await differingFeeds()).toEqual([]);
    const existing = await query(`select id::int from lancamentos where id in (${a}, ${b}, ${c}, ${d})`);
    expect(existing).toHaveLength(2);
    expect(await entriesOf(...existing.map(({ id }) => id))).toMatchObject([
      { removed: false },
      { removed: false },
    ]);
  });

  it("include every record of an upsert of new and existing records (C2)", async () => {
    const rows = randomRows("lancamentos", 4, seed);
    await insertRows(db, "lancamentos", rows.slice(0, 2));
    const upsert = " on conflict (salon_id) do update set sent_at = excluded.sent_at returning id::int";
    const { rows: upserted } = await insertRows(db, "lancamentos", rows, upsert);
    const [{ low }] = await query("select last_value::int - 4 as low from lancamentos_change_seq");
    const entries = await entriesOf(...upserted.map(({ id }) => id));
    expect(entries).toHaveLength(4);
    expect(Math.min(...entries.map(({ change }) => change))).toBeGreaterThan(low);
  });
});

describe("verifyFeeds", () => {
  it("finds changes made in replica mode; a repair adds them and draws a new epoch (C4)", async () => {
    const [gone = 0] = await insert(3);
    const before = await epochs();
    await db.query("set session_replication_role = replica");
    const [added = 0] = await insert(1);
    await db.query(`delete from lancamentos where id = ${gone}`);
    await db.query("set session_replication_role = origin");
    expect(await differingFeeds()).toEqual([{ list: "lancamentos", differences: 2, repaired: false }]);
    expect(await verify(true)).toContainEqual({ list: "lancamentos", differences: 2, repaired: true });
    expect(await differingFeeds()).toEqual([]);
    const entries = await entriesOf(gone, added);
    expect(entries.map(({ id, removed }) => [id, removed]).sort()).toEqual(
      [
        [gone, true],
        [added, false],
      ].sort(),
    );
    const { lancamentos, ...others } = await epochs();
    const { lancamentos: first, ...same } = before;
    expect(lancamentos).not.toBe(first);
    expect(others).toEqual(same);
  });

  it("finds and repairs a removal of a record that exists", async () => {
    await db.query(
      "update transacoes_changes set removed_at = now() where id = (select max(id) from transacoes)",
    );
    expect(await differingFeeds()).toEqual([{ list: "transacoes", differences: 1, repaired: false }]);
    await verify(true);
    expect(await differingFeeds()).toEqual([]);
  });
});

describe("pruneRemovals", () => {
  it("deletes only removals that are old enough, and sets oldest_kept_change to the last of them (C4)", async () => {
    const [old = 0, young = 0, existing = 0] = await insert(3);
    await db.query(`delete from lancamentos where id in (${old}, ${young})`);
    await db.query(
      `update lancamentos_changes set removed_at = now() - interval '31 days' where id = ${old}`,
    );
    const [entry] = await entriesOf(old);
    const reported: [string, number][] = [];
    await pruneRemovals(warehouse.url, 30, (list, forgotten) => reported.push([list, forgotten]));
    expect(reported).toEqual(FEEDS.map((list) => [list, list === "lancamentos" ? 1 : 0]));
    expect((await entriesOf(old, young, existing)).map(({ id }) => id)).toEqual([existing, young]);
    const readOldestKept = async () =>
      (await query("select oldest_kept_change::int as floor from change_feeds where list = 'lancamentos'"))[0]
        .floor;
    expect(await readOldestKept()).toBe(entry.change);
    await pruneRemovals(warehouse.url, 30, () => undefined);
    expect(await readOldestKept()).toBe(entry.change);
    expect(await differingFeeds()).toEqual([]);
  });

  it.runIf(inject("isServer"))(
    "keeps until the next run any removal that a loader has locked or that is not settled (C4)",
    async () => {
      const loader = await warehouse.connect();
      const removed = async () => {
        const [id = 0] = await insert(1);
        await db.query(`delete from lancamentos where id = ${id}`);
        return id;
      };
      const held = await removed();
      await loader.query("begin");
      await loader.query(
        `insert into lancamentos (id, salon_id, estabelecimento_id, raw_data) values (${held}, 'held', '101', '{}')`,
      );
      const undecided = await removed();
      await pruneRemovals(warehouse.url, 0, () => undefined);
      expect((await entriesOf(held, undecided)).map(({ id }) => id)).toEqual([held, undecided]);
      await loader.query("commit");
      await pruneRemovals(warehouse.url, 0, () => undefined);
      expect((await entriesOf(held, undecided)).map(({ id }) => id)).toEqual([held]);
    },
  );
});

describe("an epoch (C4)", () => {
  it("stays the same after another migration, and changes when an operator sets a new one (C4)", async () => {
    const before = await epochs();
    await migrateWarehouse(warehouse.url);
    expect(await epochs()).toEqual(before);
    await drawEpoch(warehouse.url);
    const after = await epochs();
    for (const list of FEEDS) {
      expect(after[list]).toMatch(/^[0-9a-f]{12}$/);
      expect(after[list]).not.toBe(before[list]);
    }
  });

  it("changes once when a database that was copied from elsewhere is migrated (C4)", async () => {
    const before = await epochs();
    await db.query("update change_feeds set drawn_in = '1/1'");
    const reported: string[] = [];
    const progress = (line: string) => reported.push(line);
    await migrateWarehouse(warehouse.url, { progress });
    const after = await epochs();
    for (const list of FEEDS) expect(after[list]).not.toBe(before[list]);
    await migrateWarehouse(warehouse.url, { progress });
    expect(await epochs()).toEqual(after);
    expect(reported.filter((line) => line.includes("is a copy"))).toHaveLength(1);
  });

  it("depends on the id of the database, and on that of its server if the role can read it (C4)", async () => {
    const [{ home }] = await query("select database_id() as home");
    expect(home).toMatch(/^\d+\/\d+$/);
    const role = `owner_${Math.random().toString(36).slice(2)}`;
    await db.query(`create role ${role}; grant execute on function database_id() to ${role};
      revoke execute on function pg_control_system() from public`);
    await db.query(`set role ${role}`);
    try {
      expect(await query("select database_id() as home")).toEqual([{ home: home.split("/")[0] }]);
    } finally {
      await db.query(`reset role; grant execute on function pg_control_system() to public;
        drop owned by ${role}; drop role ${role}`);
    }
  });

  it.runIf(inject("isServer"))("differs in a migrated copy of the database (C4)", async () => {
    const server = process.env.TEST_DATABASE_URL ?? "";
    const name = new URL(warehouse.url).pathname.slice(1);
    const copy = `${name}_copy`;
    const before = await epochs();
    await connected(server, async (admin) => {
      // A template must have no connections.
      const template = `${name}_template`;
      await admin.query(`create database ${template}`);
      try {
        await migrateWarehouse(databaseNamed(server, template));
        const first = await connected(databaseNamed(server, template), epochs);
        await admin.query(`create database ${copy} template ${template}`);
        expect(await connected(databaseNamed(server, copy), epochs)).toEqual(first);
        await migrateWarehouse(databaseNamed(server, copy));
        const after = await connected(databaseNamed(server, copy), epochs);
        for (const list of FEEDS) expect(Object.values({ ...first, ...before })).not.toContain(after[list]);
      } finally {
        await admin.query(`drop database if exists ${copy} with (force)`);
        await admin.query(`drop database if exists ${template} with (force)`);
      }
    });
  });
});
