// @module-tag server
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { openMigrated } from "../support/node/databases.ts";
import { expectedRows } from "./answers.ts";
import { createFollower } from "./follower.ts";
import { insertRows, randomRows } from "./rows.ts";
import { type Reader, SESSIONS, startService, useService } from "./service.ts";
import { runRandomLoaders } from "./storm.ts";
import { ABORTS } from "./warehouse.ts";

const SECONDS = Number(process.env.ORACLE_SECONDS ?? 8);
const CURSOR_TABLES = { lancamentos: "lancamentos", "pagamentos-erp": "pagamentos_erp" };
const FEED_TABLES = { ...CURSOR_TABLES, transacoes: "transacoes", "vendas-produto": "vendas_produto" };

const [seed, isServer] = [inject("oracleSeed"), inject("isServer")];
const started = useService();

/** Connects a loader. It is disconnected after the test, with any open transaction. */
const connect = async () => {
  const db = await started.warehouse.connect();
  onTestFinished(() => db.end());
  return db;
};
const connectTwo = async () => [await connect(), await connect()] as const;

const UNFILTERED = { filters: {}, perPage: 200 };

/** Inserts random rows. Returns their ids. */
const insert = async (db: pg.Client, table = "lancamentos", count = 1): Promise<number[]> => {
  const { rows } = await insertRows(db, table, randomRows(table, count, seed), " returning id::int");
  return rows.map(({ id }) => id);
};
const insertOne = async (db: pg.Client) => (await insert(db))[0] as number;
const writes = (...ids: number[]) => ids.map((id) => ({ id, removido: false }));

interface Page {
  data: { id: number }[];
  pagination: { next_after_id: number | null };
}

/** Reads all ids after one. Returns them and the id to continue from (L7). */
const readToEnd = async (list: string, from: number, { read }: Reader = started.service) => {
  const ids: number[] = [];
  for (let after: number | null = from; after !== null; ) {
    const query = { after_id: String(after), per_page: "50" };
    const page: Page = JSON.parse(await read(list, query));
    ids.push(...page.data.map(({ id }) => id));
    after = page.pagination.next_after_id;
  }
  return { ids, last: ids.at(-1) ?? from };
};

/** Reads a whole list after an id, as `readToEnd`. */
const readWhole = async (list: string, from: number, { read }: Reader = started.service) => {
  const body = await read(list, { tudo: "true", after_id: String(from), campos: "id" });
  const ids: number[] = body
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).id);
  return { ids, last: ids.at(-1) ?? from };
};

/** A follower that has read every change. */
const createUpToDateFollower = async (list = "lancamentos") => {
  const follower = createFollower(started.service, list);
  await follower.readNewChanges();
  return follower;
};

/** Follows ledger entries from now on. Each call of the result returns the ids of new ones. */
type Follow = () => Promise<() => Promise<number[]>>;
const followBy =
  (readOn: typeof readToEnd): Follow =>
  async () => {
    let { last } = await readOn("lancamentos", 0);
    return async () => {
      const read = await readOn("lancamentos", last);
      last = read.last;
      return read.ids;
    };
  };
const FOLLOWED: [how: string, follow: Follow][] = [
  ["a cursor", followBy(readToEnd)],
  ["a whole list after an id", followBy(readWhole)],
  [
    "a change feed",
    async () => {
      const { readNewChanges } = await createUpToDateFollower();
      return async () => (await readNewChanges()).map(({ id }) => id);
    },
  ],
];

describe("copies made from the feeds, and the ids that cursors return", () => {
  it(isServer
    ? "equal their lists while eight loaders write and followers crash at random (C1, C2, L6)"
    : "equal their lists after random transactions of one loader (C1, C2)", {
    timeout: (SECONDS + 300) * 1000,
  }, async () => {
    const { warehouse, service } = started;
    const followers = Object.keys(FEED_TABLES).map((list) => ({ list, ...createFollower(service, list) }));
    const cursors = Object.keys(CURSOR_TABLES).map((list) => ({ list, ids: [] as number[] }));
    const executed = new Set<string>();
    const write = async (loaders: pg.Client[], n: number, truncates: boolean) => {
      for (const kind of await runRandomLoaders(loaders, seed + 17 * n, 5, isServer, { truncates }))
        executed.add(kind);
    };
    const readOn = async ({ list, ids }: (typeof cursors)[number]) => {
      const readRest = Math.random() < 0.5 ? readToEnd : readWhole;
      ids.push(...(await readRest(list, ids.at(-1) ?? 0)).ids);
    };
    if (isServer) {
      const loaders = await Promise.all(Array.from({ length: 8 }, connect));
      const ends = Date.now() + SECONDS * 1000;
      let [isTruncating, isWriting] = [true, true];
      const writing = async () => {
        for (let n = 0; Date.now() < ends; n += 1) {
          await write(loaders, n, isTruncating);
          // No TRUNCATE in the last 70 %, so that the copies are compared after many changes.
          isTruncating &&= Date.now() < ends - SECONDS * 700;
        }
        isWriting = false;
      };
      const follow = async (readPage: () => Promise<boolean>) => {
        while (isWriting) if (!(await readPage())) await wait(Math.random() * 20);
      };
      const readOnUnlessTruncated = async (cursor: (typeof cursors)[number]) => {
        if (!isTruncating) await readOn(cursor);
        return false;
      };
      await Promise.all([
        writing(),
        ...followers.map(({ readPage }) => follow(() => readPage())),
        ...cursors.map((cursor) => follow(() => readOnUnlessTruncated(cursor))),
      ]);
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
    for (const cursor of cursors) {
      await readOn(cursor);
      const seen = new Set(cursor.ids);
      expect(cursor.ids, cursor.list).toEqual([...seen].sort((a, b) => a - b));
      const rows = await expectedRows(warehouse.db, cursor.list, UNFILTERED);
      expect(rows.filter(({ id }) => !seen.has(id))).toEqual([]);
    }
    expect(executed.size, "kinds of write that ran").toBeGreaterThan(15);
  });
});

// Needs several connections at once, which the embedded Postgres does not have.
describe.runIf(isServer).each(FOLLOWED)("%s with concurrent loaders", (_, follow) => {
  it("holds a record back while a lower one is still being written (L6, C2)", async () => {
    const [slow, quick] = await connectTwo();
    const readNew = await follow();
    await slow.query("begin");
    const lower = await insertOne(slow);
    const higher = await insertOne(quick);
    expect(await readNew()).toEqual([]);
    await slow.query("commit");
    expect(await readNew()).toEqual([lower, higher]);
    expect(await readNew()).toEqual([]);
  });

  it.each(ABORTS)("stops waiting for a loader that %s (L6, C2)", async (_, end) => {
    const [failing, other] = await connectTwo();
    const readNew = await follow();
    await failing.query("begin");
    const id = await insertOne(failing);
    await failing.query(`update lancamentos set sent_at = now() where id = ${id}`);
    const free = await insertOne(other);
    expect(await readNew()).toEqual([]);
    await end(failing, started.warehouse.db);
    expect(await readNew()).toEqual([free]);
  });

  it("does not wait for an open transaction that has not written this list (L6, C2)", async () => {
    const [elsewhere, loader] = await connectTwo();
    const readNew = await follow();
    await elsewhere.query("begin isolation level repeatable read");
    for (const table of ["transacoes", "pagamentos_erp", "vendas_produto", "jobs_log"])
      await insert(elsewhere, table);
    await elsewhere.query("select count(*) from lancamentos");
    const id = await insertOne(loader);
    await loader.query(`update lancamentos set sent_at = now() where id = ${id}`);
    expect(await readNew()).toEqual([id]);
    await elsewhere.query("rollback");
  });

  it("stops waiting for an insert that is rolled back to a savepoint, and waits for the next one (L6, C2)", async () => {
    const [loader, other] = await connectTwo();
    const readNew = await follow();
    await loader.query("begin; savepoint tried");
    await insertOne(loader);
    await loader.query("rollback to tried");
    const free = await insertOne(other);
    expect(await readNew()).toEqual([free]);
    const lower = await insertOne(loader);
    const higher = await insertOne(other);
    expect(await readNew()).toEqual([]);
    await loader.query("commit");
    expect(await readNew()).toEqual([lower, higher]);
  });
});

describe.runIf(isServer)("a change feed with concurrent loaders (C2)", () => {
  it("waits for an open update or delete as for an insert (C2)", async () => {
    const [slow, quick] = await connectTwo();
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
    const [slow, quick] = await connectTwo();
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
    const [first, second] = await connectTwo();
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

  it("does not hold a cursor back for an open update (L6)", async () => {
    const [loader, other] = await connectTwo();
    const [id] = await insert(loader, "lancamentos", 2);
    await loader.query(`begin; update lancamentos set sent_at = now() where id = ${id}`);
    const higher = await insertOne(other);
    const page = JSON.parse(await started.service.read("lancamentos", { after_id: String(higher - 1) }));
    expect(page.data.map((entry: { id: number }) => entry.id)).toEqual([higher]);
    await loader.query("rollback");
  });

  it("does not make loaders of different records wait for each other (C4)", async () => {
    const [first, second] = await connectTwo();
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

describe.runIf(isServer)("a cursor with concurrent loaders (L6)", () => {
  it("holds a record back while an UPDATE that draws a lower id is open (L6)", async () => {
    const [slow, quick] = await connectTwo();
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

  // With a lock for each row, 20,000 would overflow the lock table of a server with default settings.
  it("needs two locks for 20,000 inserts in one transaction: one for ids, one for changes (L6)", {
    timeout: 300_000,
  }, async () => {
    const loader = await connect();
    const { last } = await readToEnd("lancamentos", 0);
    await loader.query("begin");
    await loader.query(`do $$ begin
      for n in 1..20000 loop
        insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('many ' || n, '101', '{}');
      end loop;
    end $$`);
    const { rows } = await started.warehouse.db.query(
      `select count(*)::int as held from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
         and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(rows).toEqual([{ held: 2 }]);
    expect((await readToEnd("lancamentos", last)).ids).toEqual([]);
    await loader.query("rollback");
  });
});

it("the feed and the cursor of an empty list return an empty page, then the first records (C3, L4)", async () => {
  const empty = await openMigrated(process.env.TEST_DATABASE_URL);
  const fresh = await startService(empty.url, SESSIONS);
  onTestFinished(async () => {
    await fresh.stop();
    await empty.close();
  });
  const loader = new pg.Client({ connectionString: empty.url });
  await loader.connect();
  for (const [list, table] of Object.entries(FEED_TABLES)) {
    const follower = createFollower(fresh, list);
    const hasCursor = list in CURSOR_TABLES;
    expect([await follower.readNewChanges(), await follower.readNewChanges()], list).toEqual([[], []]);
    if (hasCursor) expect(await readToEnd(list, 0, fresh)).toEqual({ ids: [], last: 0 });
    expect(await insert(loader, table, 2)).toHaveLength(2);
    expect(await follower.readNewChanges(), list).toHaveLength(2);
    if (hasCursor) expect(await readToEnd(list, 0, fresh)).toEqual({ ids: [1, 2], last: 2 });
  }
  await loader.end();
});

describe.runIf(isServer)("a TRUNCATE while a list is followed (C2)", () => {
  const truncateWhileFollowed = async (end: "commit" | "rollback") => {
    const loader = await connect();
    await insertOne(loader);
    const [follower, beginner] = [
      await createUpToDateFollower(),
      createFollower(started.service, "lancamentos"),
    ];
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

describe("a cursor", () => {
  it("returns records whose ids the loader chose, even above the sequence (L4)", async () => {
    const { rows } = await started.warehouse.db.query("select max(id)::int as highest from pagamentos_erp");
    const own = rows[0].highest + 100_000;
    const insertOwn = `insert into pagamentos_erp (id, erp_id, situacao, raw_data) values ($1, $1, 1, '{}')`;
    const { last } = await readToEnd("pagamentos-erp", 0);
    await started.warehouse.db.query(insertOwn, [own]);
    expect(await readToEnd("pagamentos-erp", last)).toEqual({ ids: [own], last: own });
    await started.warehouse.db.query("select setval('pagamentos_erp_id_seq', $1)", [own]);
    const [next] = await insert(started.warehouse.db, "pagamentos_erp");
    expect(await readToEnd("pagamentos-erp", own)).toEqual({ ids: [next], last: next });
  });

  it.each(Object.entries(CURSOR_TABLES))(
    "of %s continues from its last record after the end, and from the same id after an empty page (L7)",
    async (list, table) => {
      const { last } = await readToEnd(list, 0);
      const [first = 0] = await insert(started.warehouse.db, table);
      expect(await readToEnd(list, last)).toEqual({ ids: [first], last: first });
      for (const _ of [1, 2]) expect(await readToEnd(list, first)).toEqual({ ids: [], last: first });
      const [second, third] = await insert(started.warehouse.db, table, 2);
      expect(await readToEnd(list, first)).toEqual({ ids: [second, third], last: third });
    },
  );
});
