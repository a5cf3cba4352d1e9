// @module-tag server
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { openMigrated } from "../support/databases.ts";
import { rowsOf } from "./answers.ts";
import { createFollower } from "./follower.ts";
import { insertRows, newRows } from "./rows.ts";
import { type Service, startService } from "./service.ts";
import { storm } from "./storm.ts";
import { FAILURES, openWarehouse, type Warehouse } from "./warehouse.ts";

const SECONDS = Number(process.env.ORACLE_SECONDS ?? 8);
const LISTS = {
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

/** A loader that ends with its test, whatever it has left open. */
const connect = async () => {
  const db = await warehouse.connect();
  onTestFinished(() => db.end());
  return db;
};

const EVERYTHING = { filters: {}, perPage: 200 };

/** Inserts so many records and answers their ids. */
const insert = async (db: pg.Client, table = "lancamentos", count = 1): Promise<number[]> => {
  const { rows } = await insertRows(db, table, newRows(table, count, seed), " returning id::int");
  return rows.map(({ id }) => id);
};
const one = async (db: pg.Client) => (await insert(db))[0] as number;
const written = (...ids: number[]) => ids.map((id) => ({ id, removido: false }));

/** A follower who has everything there is. */
const upToDate = async (list = "lancamentos") => {
  const follower = createFollower(service, list);
  await follower.news();
  return follower;
};

describe("a copy that follows the feed alone equals its list (C2, C1)", () => {
  it(isServer
    ? "beside eight loaders at random, with a follower that dies at random"
    : "after each few of a loader's transactions", { timeout: (SECONDS + 300) * 1000 }, async () => {
    const followers = Object.keys(LISTS).map((list) => ({ list, ...createFollower(service, list) }));
    const done = new Set<string>();
    const write = async (loaders: pg.Client[], n: number, truncates: boolean) => {
      for (const kind of await storm(loaders, seed + 17 * n, 5, isServer, truncates)) done.add(kind);
    };
    if (isServer) {
      const loaders = await Promise.all(Array.from({ length: 8 }, connect));
      const ends = Date.now() + SECONDS * 1000;
      let isWriting = true;
      const writing = async () => {
        // What is copied at the end has been followed for a while, and not only begun.
        for (let n = 0; Date.now() < ends; n += 1) await write(loaders, n, Date.now() < ends - SECONDS * 700);
        isWriting = false;
      };
      const follow = async (step: () => Promise<boolean>) => {
        while (isWriting) if (!(await step())) await wait(Math.random() * 20);
      };
      await Promise.all([writing(), ...followers.map(({ step }) => follow(() => step()))]);
    } else {
      for (let n = 0; n < 12; n += 1) {
        await write([warehouse.db], n, n < 4);
        for (const { step } of followers) while (Math.random() < 0.8) await step();
      }
    }
    for (const { list, step, copy, begunAgain } of followers) {
      while (await step(true));
      const rows = await rowsOf(warehouse.db, list, EVERYTHING);
      const expected = rows.toSorted((a, b) => a.id - b.id).map(({ id, record }) => [id, record]);
      expect(
        [...copy()].sort(([a], [b]) => a - b),
        list,
      ).toEqual(expected);
      console.log(`${list}: ${rows.length} records, begun again ${begunAgain()} times`);
    }
    expect(done.size, "kinds of write that ran").toBeGreaterThan(15);
  });
});

// What happens between two connections, only a server shows.
describe.runIf(isServer)("a change appears once no earlier one is open (C2)", () => {
  it("in order of their numbers, whoever commits first", async () => {
    const [slow, quick] = [await connect(), await connect()];
    const { news } = await upToDate();
    await slow.query("begin");
    const lower = await one(slow);
    const higher = await one(quick);
    expect(await news()).toEqual([]);
    await slow.query("commit");
    expect(await news()).toEqual(written(lower, higher));
    expect(await news()).toEqual([]);
  });

  it("an update and a removal hold and wait as an insert does", async () => {
    const [slow, quick] = [await connect(), await connect()];
    const [a, b, c] = (await insert(quick, "lancamentos", 3)) as [number, number, number];
    const { news } = await upToDate();
    await slow.query("begin");
    await slow.query(`update lancamentos set sent_at = now() where id = ${a}`);
    await quick.query(`delete from lancamentos where id = ${b}`);
    expect(await news()).toEqual([]);
    await slow.query("commit");
    expect(await news()).toEqual([...written(a), { id: b, removido: true }]);
    await slow.query(`begin; delete from lancamentos where id = ${a}`);
    await quick.query(`update lancamentos set sent_at = now() where id = ${c}`);
    expect(await news()).toEqual([]);
    await slow.query("rollback");
    expect(await news()).toEqual(written(c));
  });

  it("a record whose change is not delivered yet, and is written again meanwhile, is not lost", async () => {
    const [slow, quick] = [await connect(), await connect()];
    const { news } = await upToDate();
    const twice = await one(quick);
    await slow.query("begin");
    const held = await one(slow);
    await quick.query(`update lancamentos set sent_at = now() where id = ${twice}`);
    expect(await news()).toEqual([]);
    await slow.query("commit");
    expect(await news()).toEqual(written(held, twice));
  });

  it("a record that is removed and written anew under its id, by two who wait for one another", async () => {
    const [first, second] = [await connect(), await connect()];
    const id = await one(first);
    const { news } = await upToDate();
    await first.query("begin");
    await first.query(`delete from lancamentos where id = ${id}`);
    const anew = second.query(
      `insert into lancamentos (id, salon_id, estabelecimento_id, raw_data) values (${id}, 'anew ${id}', '101', '{}')`,
    );
    await wait(100);
    expect(await news()).toEqual([]);
    await first.query("commit");
    await anew;
    expect(await news()).toEqual(written(id));
  });

  it.each(FAILURES)("a loader that %s holds nothing back any more", async (_, end) => {
    const [failing, other] = [await connect(), await connect()];
    const id = await one(other);
    const { news } = await upToDate();
    await failing.query("begin");
    await failing.query(`update lancamentos set sent_at = now() where id = ${id}`);
    const free = await one(other);
    expect(await news()).toEqual([]);
    await end(failing, warehouse.db);
    expect(await news()).toEqual(written(free));
  });

  it("a savepoint that is rolled back takes back what it held, and the next statement holds again", async () => {
    const [loader, other] = [await connect(), await connect()];
    const { news } = await upToDate();
    await loader.query("begin; savepoint tried");
    await one(loader);
    await loader.query("rollback to tried");
    const free = await one(other);
    expect(await news()).toEqual(written(free));
    const lower = await one(loader);
    const higher = await one(other);
    expect(await news()).toEqual([]);
    await loader.query("commit");
    expect(await news()).toEqual(written(lower, higher));
  });

  it("an open transaction that has not written this list holds nothing back", async () => {
    const [elsewhere, loader] = [await connect(), await connect()];
    const { news } = await upToDate();
    await elsewhere.query("begin isolation level repeatable read");
    for (const table of ["transacoes", "pagamentos_erp", "vendas_produto", "jobs_log"])
      await insert(elsewhere, table);
    await elsewhere.query("select count(*) from lancamentos");
    const id = await one(loader);
    await loader.query(`update lancamentos set sent_at = now() where id = ${id}`);
    expect(await news()).toEqual(written(id));
    await elsewhere.query("rollback");
  });

  it("an update or a removal holds no cursor back", async () => {
    const [loader, other] = [await connect(), await connect()];
    const [id] = await insert(loader, "lancamentos", 2);
    await loader.query(`begin; update lancamentos set sent_at = now() where id = ${id}`);
    const higher = await one(other);
    const page = JSON.parse(await service.read("lancamentos", { after_id: String(higher - 1) }));
    expect(page.data.map((entry: { id: number }) => entry.id)).toEqual([higher]);
    await loader.query("rollback");
  });

  it("loaders that write other records do not wait for one another", async () => {
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

it("a list that has nothing yet is followed from its beginning (C3)", async () => {
  const empty = await openMigrated(process.env.TEST_DATABASE_URL);
  const fresh = await startService(empty.url, isServer ? 2 : 1);
  onTestFinished(async () => {
    await fresh.stop();
    await empty.close();
  });
  const loader = new pg.Client({ connectionString: empty.url });
  await loader.connect();
  for (const [list, table] of Object.entries(LISTS)) {
    const follower = createFollower(fresh, list);
    expect([await follower.news(), await follower.news()], list).toEqual([[], []]);
    expect(await insert(loader, table, 2)).toHaveLength(2);
    expect(await follower.news(), list).toHaveLength(2);
  }
  await loader.end();
});

describe.runIf(isServer)("a TRUNCATE beside a follower (C2)", () => {
  const beside = async (end: "commit" | "rollback") => {
    const loader = await connect();
    await one(loader);
    const [follower, beginner] = [await upToDate(), createFollower(service, "lancamentos")];
    await loader.query("begin; truncate lancamentos");
    const id = await one(loader);
    // Both wait for the list, as they would without a feed.
    const answers = Promise.allSettled([follower.news(), beginner.news()]);
    await wait(300);
    await loader.query(end);
    const [followed, begun] = await answers;
    return { id, followed, begun, beginner };
  };

  it("that is committed ends its marker, and whoever begins meanwhile misses nothing", async () => {
    const { id, followed, begun, beginner } = await beside("commit");
    expect(followed).toMatchObject({ status: "rejected", reason: new Error("the marker is gone") });
    const found = begun.status === "fulfilled" ? begun.value : [];
    expect([...found, ...(await beginner.news())]).toEqual(written(id));
  });

  it("that is rolled back has happened to nobody", async () => {
    const { id, followed, begun } = await beside("rollback");
    expect(followed).toEqual({ status: "fulfilled", value: [] });
    expect(begun).toMatchObject({ status: "fulfilled", value: expect.not.arrayContaining(written(id)) });
  });
});
