// @module-tag server
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { openMigrated } from "../support/node/databases.ts";
import { expectedRows } from "./answers.ts";
import { createFollower } from "./follower.ts";
import { insertRows, randomRows } from "./rows.ts";
import { type Service, startService } from "./service.ts";
import { runRandomLoaders } from "./storm.ts";
import { ABORTS, openWarehouse, type Warehouse } from "./warehouse.ts";

const SECONDS = Number(process.env.ORACLE_SECONDS ?? 8);
const FEED_TABLES = {
  transacoes: "transacoes",
  lancamentos: "lancamentos",
  "pagamentos-erp": "pagamentos_erp",
  "vendas-produto": "vendas_produto",
};

const [seed, isServer] = [inject("oracleSeed"), inject("isServer")];

let warehouse: Warehouse;
let service: Service;

beforeAll(async () => {
  warehouse = await openWarehouse(seed);
  service = await startService(warehouse.url, isServer ? 8 : 1);
});
afterAll(async () => {
  await service.stop();
  await warehouse.close();
});

/** Connects a loader. It is disconnected after the test, with any open transaction. */
const connect = async () => {
  const db = await warehouse.connect();
  onTestFinished(() => db.end());
  return db;
};

const UNFILTERED = { filters: {}, perPage: 200 };

/** Inserts random rows. Returns their ids. */
const insert = async (db: pg.Client, table = "lancamentos", count = 1): Promise<number[]> => {
  const { rows } = await insertRows(db, table, randomRows(table, count, seed), " returning id::int");
  return rows.map(({ id }) => id);
};
const insertOne = async (db: pg.Client) => (await insert(db))[0] as number;
const writes = (...ids: number[]) => ids.map((id) => ({ id, removido: false }));

/** A follower that has read every change. */
const createUpToDateFollower = async (list = "lancamentos") => {
  const follower = createFollower(service, list);
  await follower.readNewChanges();
  return follower;
};

describe("a copy made from the feed alone (C1, C2)", () => {
  it(isServer
    ? "equals its list while eight loaders write and its follower crashes at random (C1, C2)"
    : "equals its list after random transactions of one loader (C1, C2)", {
    timeout: (SECONDS + 300) * 1000,
  }, async () => {
    const followers = Object.keys(FEED_TABLES).map((list) => ({ list, ...createFollower(service, list) }));
    const executed = new Set<string>();
    const write = async (loaders: pg.Client[], n: number, truncates: boolean) => {
      for (const kind of await runRandomLoaders(loaders, seed + 17 * n, 5, isServer, { truncates }))
        executed.add(kind);
    };
    if (isServer) {
      const loaders = await Promise.all(Array.from({ length: 8 }, connect));
      const ends = Date.now() + SECONDS * 1000;
      let isWriting = true;
      const writing = async () => {
        // No TRUNCATE in the last 70 %, so that the copies are compared after many changes.
        for (let n = 0; Date.now() < ends; n += 1) await write(loaders, n, Date.now() < ends - SECONDS * 700);
        isWriting = false;
      };
      const follow = async (readPage: () => Promise<boolean>) => {
        while (isWriting) if (!(await readPage())) await wait(Math.random() * 20);
      };
      await Promise.all([writing(), ...followers.map(({ readPage }) => follow(() => readPage()))]);
    } else {
      for (let n = 0; n < 12; n += 1) {
        await write([warehouse.db], n, n < 4);
        for (const { readPage } of followers) while (Math.random() < 0.8) await readPage();
      }
    }
    for (const { list, readPage, copy, restarts } of followers) {
      while (await readPage(true));
      const rows = await expectedRows(warehouse.db, list, UNFILTERED);
      const expected = rows.toSorted((a, b) => a.id - b.id).map(({ id, record }) => [id, record]);
      expect(
        [...copy()].sort(([a], [b]) => a - b),
        list,
      ).toEqual(expected);
      console.log(`${list}: ${rows.length} records, restarted ${restarts()} times`);
    }
    expect(executed.size, "kinds of write that ran").toBeGreaterThan(15);
  });
});

// Needs several connections at once, which the embedded Postgres does not have.
describe.runIf(isServer)("a change feed with concurrent loaders (C2)", () => {
  it("returns changes in the order of their numbers, not of their commits (C2)", async () => {
    const [slow, quick] = [await connect(), await connect()];
    const { readNewChanges } = await createUpToDateFollower();
    await slow.query("begin");
    const lower = await insertOne(slow);
    const higher = await insertOne(quick);
    expect(await readNewChanges()).toEqual([]);
    await slow.query("commit");
    expect(await readNewChanges()).toEqual(writes(lower, higher));
    expect(await readNewChanges()).toEqual([]);
  });

  it("waits for an open update or delete as for an insert (C2)", async () => {
    const [slow, quick] = [await connect(), await connect()];
    const [a, b, c] = (await insert(quick, "lancamentos", 3)) as [number, number, number];
    const { readNewChanges } = await createUpToDateFollower();
    await slow.query("begin");
    await slow.query(`update lancamentos set sent_at = now() where id = ${a}`);
    await quick.query(`delete from lancamentos where id = ${b}`);
    expect(await readNewChanges()).toEqual([]);
    await slow.query("commit");
    expect(await readNewChanges()).toEqual([...writes(a), { id: b, removido: true }]);
    await slow.query(`begin; delete from lancamentos where id = ${a}`);
    await quick.query(`update lancamentos set sent_at = now() where id = ${c}`);
    expect(await readNewChanges()).toEqual([]);
    await slow.query("rollback");
    expect(await readNewChanges()).toEqual(writes(c));
  });

  it("does not lose a record that is written again before its change is delivered (C2)", async () => {
    const [slow, quick] = [await connect(), await connect()];
    const { readNewChanges } = await createUpToDateFollower();
    const twice = await insertOne(quick);
    await slow.query("begin");
    const held = await insertOne(slow);
    await quick.query(`update lancamentos set sent_at = now() where id = ${twice}`);
    expect(await readNewChanges()).toEqual([]);
    await slow.query("commit");
    expect(await readNewChanges()).toEqual(writes(held, twice));
  });

  it("returns a record once if one loader deletes it while another waits to insert it again (C2)", async () => {
    const [first, second] = [await connect(), await connect()];
    const id = await insertOne(first);
    const { readNewChanges } = await createUpToDateFollower();
    await first.query("begin");
    await first.query(`delete from lancamentos where id = ${id}`);
    const insertion = second.query(
      `insert into lancamentos (id, salon_id, estabelecimento_id, raw_data) values (${id}, 'again ${id}', '101', '{}')`,
    );
    await wait(100);
    expect(await readNewChanges()).toEqual([]);
    await first.query("commit");
    await insertion;
    expect(await readNewChanges()).toEqual(writes(id));
  });

  it.each(ABORTS)("stops waiting for a loader that %s (C2)", async (_, end) => {
    const [failing, other] = [await connect(), await connect()];
    const id = await insertOne(other);
    const { readNewChanges } = await createUpToDateFollower();
    await failing.query("begin");
    await failing.query(`update lancamentos set sent_at = now() where id = ${id}`);
    const free = await insertOne(other);
    expect(await readNewChanges()).toEqual([]);
    await end(failing, warehouse.db);
    expect(await readNewChanges()).toEqual(writes(free));
  });

  it("stops waiting for an insert that is rolled back to a savepoint, and waits for the next one (C2)", async () => {
    const [loader, other] = [await connect(), await connect()];
    const { readNewChanges } = await createUpToDateFollower();
    await loader.query("begin; savepoint tried");
    await insertOne(loader);
    await loader.query("rollback to tried");
    const free = await insertOne(other);
    expect(await readNewChanges()).toEqual(writes(free));
    const lower = await insertOne(loader);
    const higher = await insertOne(other);
    expect(await readNewChanges()).toEqual([]);
    await loader.query("commit");
    expect(await readNewChanges()).toEqual(writes(lower, higher));
  });

  it("does not wait for an open transaction that has not written this list (C2)", async () => {
    const [elsewhere, loader] = [await connect(), await connect()];
    const { readNewChanges } = await createUpToDateFollower();
    await elsewhere.query("begin isolation level repeatable read");
    for (const table of ["transacoes", "pagamentos_erp", "vendas_produto", "jobs_log"])
      await insert(elsewhere, table);
    await elsewhere.query("select count(*) from lancamentos");
    const id = await insertOne(loader);
    await loader.query(`update lancamentos set sent_at = now() where id = ${id}`);
    expect(await readNewChanges()).toEqual(writes(id));
    await elsewhere.query("rollback");
  });

  it("does not hold a cursor back for an open update (L6)", async () => {
    const [loader, other] = [await connect(), await connect()];
    const [id] = await insert(loader, "lancamentos", 2);
    await loader.query(`begin; update lancamentos set sent_at = now() where id = ${id}`);
    const higher = await insertOne(other);
    const page = JSON.parse(await service.read("lancamentos", { after_id: String(higher - 1) }));
    expect(page.data.map((entry: { id: number }) => entry.id)).toEqual([higher]);
    await loader.query("rollback");
  });

  it("does not make loaders of different records wait for each other (C4)", async () => {
    const [first, second] = [await connect(), await connect()];
    const [a, b] = await insert(first, "transacoes", 2);
    await first.query(`begin; update transacoes set parcelas = 7 where id = ${a}`);
    await insert(first, "transacoes");
    await second.query("set lock_timeout = '1s'");
    await second.query(
      `update transacoes set parcelas = 7 where id = ${b}; delete from transacoes where id = ${b}`,
    );
    await insert(second, "transacoes");
    await first.query("commit");
  });
});

it("the feed of an empty list returns an empty page, then the first records (C3)", async () => {
  const empty = await openMigrated(process.env.TEST_DATABASE_URL);
  const fresh = await startService(empty.url, isServer ? 2 : 1);
  onTestFinished(async () => {
    await fresh.stop();
    await empty.close();
  });
  const loader = new pg.Client({ connectionString: empty.url });
  await loader.connect();
  for (const [list, table] of Object.entries(FEED_TABLES)) {
    const follower = createFollower(fresh, list);
    expect([await follower.readNewChanges(), await follower.readNewChanges()], list).toEqual([[], []]);
    expect(await insert(loader, table, 2)).toHaveLength(2);
    expect(await follower.readNewChanges(), list).toHaveLength(2);
  }
  await loader.end();
});

describe.runIf(isServer)("a TRUNCATE while a list is followed (C2)", () => {
  const truncateWhileFollowed = async (end: "commit" | "rollback") => {
    const loader = await connect();
    await insertOne(loader);
    const [follower, beginner] = [await createUpToDateFollower(), createFollower(service, "lancamentos")];
    await loader.query("begin; truncate lancamentos");
    const id = await insertOne(loader);
    // Both wait for the table's lock, as any reader does.
    const answers = Promise.allSettled([follower.readNewChanges(), beginner.readNewChanges()]);
    await wait(300);
    await loader.query(end);
    const [followed, fromStart] = await answers;
    return { id, followed, fromStart, beginner };
  };

  it("invalidates markers when it commits, and hides nothing from a copy that starts meanwhile (C2)", async () => {
    const { id, followed, fromStart, beginner } = await truncateWhileFollowed("commit");
    expect(followed).toMatchObject({ status: "rejected", reason: new Error("the marker is gone") });
    const changes = fromStart.status === "fulfilled" ? fromStart.value : [];
    expect([...changes, ...(await beginner.readNewChanges())]).toEqual(writes(id));
  });

  it("has no effect when it is rolled back (C2)", async () => {
    const { id, followed, fromStart } = await truncateWhileFollowed("rollback");
    expect(followed).toEqual({ status: "fulfilled", value: [] });
    expect(fromStart).toMatchObject({ status: "fulfilled", value: expect.not.arrayContaining(writes(id)) });
  });
});
