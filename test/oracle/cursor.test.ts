// @module-tag server
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { insertRows, randomRows } from "./rows.ts";
import { type Service, startService } from "./service.ts";
import { ABORTS, openWarehouse, type Warehouse } from "./warehouse.ts";

const SECONDS = Number(process.env.ORACLE_SECONDS ?? 8);
const CURSOR_TABLES = { lancamentos: "lancamentos", "pagamentos-erp": "pagamentos_erp" };

const seed = inject("oracleSeed");

let warehouse: Warehouse;
let service: Service;

beforeAll(async () => {
  warehouse = await openWarehouse(seed);
  service = await startService(warehouse.url, inject("isServer") ? 8 : 1);
});
afterAll(async () => {
  await service.stop();
  await warehouse.close();
});

interface Page {
  data: { id: number }[];
  pagination: { next_after_id: number | null };
}

/** Reads all ids after one. Returns them and the id to continue from (L7). */
const readToEnd = async (list: string, from: number): Promise<{ ids: number[]; last: number }> => {
  const ids: number[] = [];
  for (let after: number | null = from; after !== null; ) {
    const page: Page = JSON.parse(await service.read(list, { after_id: String(after), per_page: "50" }));
    ids.push(...page.data.map(({ id }) => id));
    after = page.pagination.next_after_id;
  }
  return { ids, last: ids.at(-1) ?? from };
};

/** Inserts random rows. Returns their ids. */
const insert = async (db: pg.Client, table = "lancamentos", count = 1): Promise<number[]> => {
  const { rows } = await insertRows(db, table, randomRows(table, count, seed), " returning id::int");
  return rows.map(({ id }) => id);
};

// Needs several connections at once, which the embedded Postgres does not have.
describe.runIf(inject("isServer"))("a cursor with concurrent loaders (L6)", () => {
  it.each(Object.entries(CURSOR_TABLES))(
    "returns every row of %s once while eight loaders write (L6)",
    { timeout: (SECONDS + 300) * 1000 },
    async (list, table) => {
      const seen: number[] = [];
      const ends = Date.now() + SECONDS * 1000;
      let haveLoadersEnded = false;
      const loader = async (db: pg.Client) => {
        while (Date.now() < ends) {
          await db.query("begin");
          for (let n = Math.ceil(Math.random() * 3); n > 0; n -= 1) {
            await insert(db, table, Math.ceil(Math.random() * 8));
            await wait(Math.random() * 30);
          }
          await db.query(
            `delete from ${table} where id in (select id from ${table} order by random() limit 2 for update skip locked)`,
          );
          await db.query(Math.random() < 0.2 ? "rollback" : "commit");
        }
      };
      const read = async () => {
        for (let last = 0, isLast = false; ; ) {
          const batch = await readToEnd(list, last);
          seen.push(...batch.ids);
          last = batch.last;
          if (isLast) return;
          isLast = haveLoadersEnded;
        }
      };
      const loaders = await Promise.all(Array.from({ length: 8 }, warehouse.connect));
      const loading = Promise.all(loaders.map(loader)).finally(() => {
        haveLoadersEnded = true;
      });
      await Promise.all([loading, read()]);
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      const { rows } = await warehouse.db.query(`select id::int from ${table}`);
      const known = new Set(seen);
      expect(rows.filter(({ id }) => !known.has(id))).toEqual([]);
      expect(seen.length).toBeGreaterThan(300);
    },
  );

  it("holds a record back while a lower id is still being written (L6)", async () => {
    const [slow, quick] = [await warehouse.connect(), await warehouse.connect()];
    const { last } = await readToEnd("lancamentos", 0);
    await slow.query("begin");
    const [lower] = await insert(slow);
    const [higher] = await insert(quick);
    expect(await readToEnd("lancamentos", last)).toEqual({ ids: [], last });
    await slow.query("commit");
    expect((await readToEnd("lancamentos", last)).ids).toEqual([lower, higher]);
  });

  it("holds a record back while an UPDATE that draws a lower id is open (L6)", async () => {
    const [slow, quick] = [await warehouse.connect(), await warehouse.connect()];
    const [moved = 0] = await insert(quick);
    const { last } = await readToEnd("lancamentos", 0);
    await slow.query("begin");
    const { rows } = await slow.query(
      `update lancamentos set id = default where id = ${moved} returning id::int`,
    );
    const [higher] = await insert(quick);
    expect((await readToEnd("lancamentos", last)).ids).toEqual([]);
    await slow.query("commit");
    expect((await readToEnd("lancamentos", last)).ids).toEqual([rows[0].id, higher]);
  });

  it.each(ABORTS)("stops waiting for a loader that %s (L6)", async (_, end) => {
    const [failing, other] = [await warehouse.connect(), await warehouse.connect()];
    const { last } = await readToEnd("lancamentos", 0);
    await failing.query("begin");
    await insert(failing);
    const [id] = await insert(other);
    expect((await readToEnd("lancamentos", last)).ids).toEqual([]);
    await end(failing, warehouse.db);
    expect((await readToEnd("lancamentos", last)).ids).toEqual([id]);
  });

  it("does not wait for an open transaction that has not written this list (L6)", async () => {
    const [elsewhere, loader] = [await warehouse.connect(), await warehouse.connect()];
    const { last } = await readToEnd("lancamentos", 0);
    await elsewhere.query("begin isolation level repeatable read");
    await insert(elsewhere, "pagamentos_erp");
    await elsewhere.query("select count(*) from lancamentos");
    const [id] = await insert(loader);
    expect((await readToEnd("lancamentos", last)).ids).toEqual([id]);
    await elsewhere.query("rollback");
  });

  it("stops waiting for an insert that is rolled back to a savepoint, and waits for the next one (L6)", async () => {
    const [loader, other] = [await warehouse.connect(), await warehouse.connect()];
    const { last } = await readToEnd("lancamentos", 0);
    await loader.query("begin; savepoint tried");
    await insert(loader);
    await loader.query("rollback to tried");
    const [free] = await insert(other);
    expect((await readToEnd("lancamentos", last)).ids).toEqual([free]);
    const [lower] = await insert(loader);
    const [higher] = await insert(other);
    expect((await readToEnd("lancamentos", last)).ids).toEqual([free]);
    await loader.query("commit");
    expect((await readToEnd("lancamentos", last)).ids).toEqual([free, lower, higher]);
  });

  // With a lock for each row, 20,000 would overflow the lock table of a server with default settings.
  it("needs two locks for 20,000 inserts in one transaction: one for ids, one for changes (L6)", {
    timeout: 300_000,
  }, async () => {
    const loader = await warehouse.connect();
    const { last } = await readToEnd("lancamentos", 0);
    await loader.query("begin");
    await loader.query(`do $$ begin
      for n in 1..20000 loop
        insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('many ' || n, '101', '{}');
      end loop;
    end $$`);
    const { rows } = await warehouse.db.query(
      `select count(*)::int as held from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
         and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(rows).toEqual([{ held: 2 }]);
    expect((await readToEnd("lancamentos", last)).ids).toEqual([]);
    await loader.query("rollback");
  });
});

describe("a cursor", () => {
  it("returns records whose ids the loader chose, even above the sequence (L4)", async () => {
    const { rows } = await warehouse.db.query("select max(id)::int as highest from pagamentos_erp");
    const own = rows[0].highest + 100_000;
    const insertOwn = `insert into pagamentos_erp (id, erp_id, situacao, raw_data) values ($1, $1, 1, '{}')`;
    const { last } = await readToEnd("pagamentos-erp", 0);
    await warehouse.db.query(insertOwn, [own]);
    expect(await readToEnd("pagamentos-erp", last)).toEqual({ ids: [own], last: own });
    await warehouse.db.query("select setval('pagamentos_erp_id_seq', $1)", [own]);
    const [next] = await insert(warehouse.db, "pagamentos_erp");
    expect(await readToEnd("pagamentos-erp", own)).toEqual({ ids: [next], last: next });
  });

  it.each(Object.entries(CURSOR_TABLES))(
    "of %s continues from its last record after the end, and from the same id after an empty page (L7)",
    async (list, table) => {
      const { last } = await readToEnd(list, 0);
      const [first = 0] = await insert(warehouse.db, table);
      expect(await readToEnd(list, last)).toEqual({ ids: [first], last: first });
      for (const _ of [1, 2]) expect(await readToEnd(list, first)).toEqual({ ids: [], last: first });
      const [second, third] = await insert(warehouse.db, table, 2);
      expect(await readToEnd(list, first)).toEqual({ ids: [second, third], last: third });
    },
  );

  it("returns an empty page of an empty list whose sequence was never used (L4)", async () => {
    await warehouse.db.query("truncate lancamentos restart identity");
    expect(await readToEnd("lancamentos", 0)).toEqual({ ids: [], last: 0 });
    expect(await insert(warehouse.db)).toEqual([1]);
    expect(await readToEnd("lancamentos", 0)).toEqual({ ids: [1], last: 1 });
  });
});
