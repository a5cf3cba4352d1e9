// @module-tag server
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { verifyFeeds } from "../../../tools/warehouse/feeds.ts";
import { verifySums } from "../../../tools/warehouse/verify.ts";
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

const verify = (repair = false) => verifySums(warehouse.url, { repair, report: () => {} });
const differingSums = () => warehouse.differingSums();

const insert = (client: pg.Client, table: string, count: number) =>
  insertRows(client, table, randomRows(table, count, seed));

describe("the rollups", () => {
  it("are repaired by `verify --repair` if one sum is wrong", async () => {
    await db.query(
      "update jobs_log_rollup set records = records + 1 where ctid = (select max(ctid) from jobs_log_rollup where grain = 'month')",
    );
    expect(await differingSums()).toEqual([{ table: "jobs_log_rollup", differences: 1, repaired: false }]);
    expect(await verify(true)).toContainEqual({ table: "jobs_log_rollup", differences: 1, repaired: true });
    expect(await differingSums()).toEqual([]);
  });

  it("are repaired by `verify --repair` after writes without triggers", async () => {
    await db.query("alter table transacoes disable trigger user");
    await insert(db, "transacoes", 30);
    await db.query("delete from transacoes_forma_rollup");
    await db.query("alter table transacoes enable trigger user");
    expect((await differingSums()).map(({ table }) => table)).toEqual([
      "servicos_facts",
      "visitas_facts",
      "transacoes_cliente_rollup",
      "transacoes_forma_rollup",
      "transacoes_profissional_rollup",
      "transacoes_rollup",
    ]);
    await verify(true);
    expect(await differingSums()).toEqual([]);
  });

  it("are merged by `verify --repair` into one row per key, without zero rows", async () => {
    const rollup = "lancamentos_rollup";
    const rows = async () =>
      (await db.query(`select count(*)::int as n, max(writer) as writer from ${rollup}`)).rows[0];
    const before = await rows();
    await db.query(
      `insert into ${rollup} select grain, starts_on, estabelecimento_id, sent_to_salon, block, 900 + n, 2 * n - 3 from ${rollup}, generate_series(1, 2) n`,
    );
    expect((await rows()).n).toBe(before.n * 3);
    expect(await verify(true)).toContainEqual({ table: rollup, differences: 0, repaired: false });
    expect(await rows()).toEqual({ n: before.n, writer: 0 });
    const { rows: unordered } = await db.query(
      `select from (select (grain, starts_on) as place, lag((grain, starts_on)) over (order by ctid) as before from ${rollup}) as r where place < before`,
    );
    expect(unordered).toEqual([]);
  });

  it.runIf(inject("isServer"))("stay readable during `verify --repair`", async () => {
    const [reader, slow] = [await warehouse.connect(), await warehouse.connect()];
    // An open loader blocks the repair, which keeps the locks it has taken so far.
    await slow.query("begin");
    await insert(slow, "transacoes", 1);
    let isRepaired = false;
    const repaired = verify(true).then(() => {
      isRepaired = true;
    });
    await reader.query("set lock_timeout = '2s'");
    for (let n = 0; n < 30; n += 1) {
      for (const { rollup, source } of (await reader.query("select rollup, source from rollups")).rows)
        await reader.query(`select from ${source}, ${rollup}, ${rollup}_source limit 1`);
    }
    expect(isRepaired).toBe(false);
    await slow.query("commit");
    await repaired;
  });

  it("need no right of the loader, which cannot write to them, to facts or to changes directly (C4, R20)", async () => {
    const role = `loader_${Math.random().toString(36).slice(2)}`;
    await db.query(
      `create role ${role}; grant select, insert, update, delete, truncate on transacoes, lancamentos to ${role}`,
    );
    await db.query(`set role ${role}`);
    try {
      await insert(db, "lancamentos", 3);
      await db.query("truncate lancamentos");
      for (const table of ["transacoes", "lancamentos"]) await insert(db, table, 3);
      await db.query("update transacoes set total = -total, data_hora = data_hora - interval '1 day'");
      await db.query("delete from lancamentos where id = (select max(id) from lancamentos)");
      for (const statement of [
        "update transacoes_rollup set records = 0",
        "update visitas_facts set total = 2",
        "delete from lancamentos_changes",
        "update change_feeds set oldest_kept_change = 0",
        "select nextval('lancamentos_change_seq')",
        "select create_change_feed('jobs_log')",
        "select new_epoch()",
      ])
        await expect(db.query(statement), statement).rejects.toMatchObject({ code: "42501" });
    } finally {
      await db.query(`reset role; drop owned by ${role}; drop role ${role}`);
    }
    expect(await differingSums()).toEqual([]);
    const feeds = await verifyFeeds(warehouse.url, { repair: false, report: () => {} });
    expect(feeds.filter(({ differences }) => differences > 0)).toEqual([]);
  });

  it("count days in Brasília (L2)", async () => {
    await db.query("truncate vendas_produto");
    await db.query(
      "insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora) values ('loja', 'a', '201', '2025-03-01T02:59:59.999999Z'), ('loja', 'b', '201', '2025-03-01T03:00:00Z')",
    );
    const { rows } = await db.query(
      "select grain, starts_on::text, records::int from vendas_produto_rollup order by grain, starts_on",
    );
    expect(rows).toEqual([
      { grain: "all", starts_on: "-infinity", records: 2 },
      { grain: "day", starts_on: "2025-02-28", records: 1 },
      { grain: "day", starts_on: "2025-03-01", records: 1 },
      { grain: "month", starts_on: "2025-02-01", records: 1 },
      { grain: "month", starts_on: "2025-03-01", records: 1 },
    ]);
  });

  it("begin each day from 1900 to 2200 at its first instant, even if midnight occurs twice or not at all", async () => {
    const { rows } = await db.query(`
      select to_char(day, 'YYYY-MM-DD') as day from (
        select d::date as day, brasilia_midnight(d::date) as begins
        from generate_series(date '1900-01-01', date '2200-12-31', interval '1 day') d) as days
      where (begins at time zone 'America/Sao_Paulo')::date <> day
        or ((begins - interval '1 microsecond') at time zone 'America/Sao_Paulo')::date >= day`);
    expect(rows).toEqual([]);
    const { rows: twice } = await db.query("select brasilia_midnight('1950-04-16')::text as begins");
    expect(new Date(twice[0].begins).toISOString()).toBe("1950-04-16T02:00:00.000Z");
  });

  it.runIf(inject("isServer"))("do not make two concurrent loaders wait for each other", async () => {
    const [one, two] = [await warehouse.connect(), await warehouse.connect()];
    const insertOne = (id: string) =>
      `insert into jobs_log (queue, job_name, status, created_at) values ('${id}', 'send-pagar', 'failed', '2035-01-05T12:00:00Z')`;
    await one.query("begin");
    await one.query(insertOne("one"));
    await two.query("set lock_timeout = '1s'");
    await two.query(insertOne("two"));
    await one.query("commit");
    const { rows } = await db.query(
      "select count(distinct writer)::int as writers from jobs_log_rollup where starts_on = '2035-01-05'",
    );
    expect(rows).toEqual([{ writers: 2 }]);
    expect(await differingSums()).toEqual([]);
  });

  it("of all time only have no days and no months (L9)", async () => {
    for (const [rollup, table] of [
      ["transacoes_cliente_rollup", "transacoes"],
      ["vendas_cliente_rollup", "vendas_produto"],
    ] as const) {
      await insert(db, table, 40);
      const { rows } = await db.query(
        `select distinct grain, starts_on::text from ${rollup} where records <> 0`,
      );
      expect([rollup, rows]).toEqual([rollup, [{ grain: "all", starts_on: "-infinity" }]]);
    }
    const total = (from: string) =>
      db.query(`select cliente_salon_id, ${from} where cliente_salon_id is not null group by 1 order by 1`);
    const { rows } = await total("sum(records)::int as n from transacoes_cliente_rollup");
    expect(rows.filter(({ n }) => n > 0)).toEqual((await total("count(*)::int as n from transacoes")).rows);
  });

  it("accept the longest texts that a loader may write (R20, L9)", async () => {
    // Four-byte characters that compress badly.
    const text = (length: number) =>
      Array.from({ length }, (_, i) =>
        String.fromCodePoint(0x10000 + ((i * 7919 + length * 104_729) % 60_000)),
      ).join("");
    await db.query(
      "insert into vendas_produto (origem, transacao_id, estabelecimento_id, produto_id, produto_nome, cliente_id) values ('loja', 'long', $1, $2, $3, $4)",
      [text(150), text(499), text(502), text(500)],
    );
    await db.query(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, forma_pagamento_principal, servicos, raw_data)
       values ('long', $1, 1, now(), $2, $3, jsonb_build_array(jsonb_build_object('nome', $3::text, 'idProfissionalQueRealizouServico', $3::text)), '{}')`,
      [text(150), text(500), text(900)],
    );
    await db.query(
      "insert into pagamentos_erp (erp_id, situacao, id_centro_custo, nome_conta_classificacao, data_vencimento, raw_data) values (80000001, 1, $1, $2, '2026-11-22', '{}')",
      [text(320), text(320)],
    );
    expect(await differingSums()).toEqual([]);
  });

  it.each(["jobs_log", "lancamentos", "pagamentos_erp"])(
    "facts and changes reject a TRUNCATE of %s with REPEATABLE READ, which could miss some of them (C2, R20)",
    async (table) => {
      await db.query("begin isolation level repeatable read");
      await expect(db.query(`truncate ${table}`)).rejects.toMatchObject({ code: "25001" });
      await db.query("rollback");
    },
  );
});

describe("create_rollup", () => {
  /** The table of a rollup, as the migration that `npm run db:generate` writes creates it. */
  const createTable = (name: string, keys: Record<string, string>, measures = "") =>
    db.query(
      `create table ${name} (grain text not null, starts_on date not null, ${Object.entries(keys).map((key) => key.join(" "))},
        writer int not null, records bigint not null${measures},
        unique nulls not distinct (grain, starts_on, ${Object.keys(keys)}, writer))`,
    );
  const createPaid = async () => {
    await createTable("paid_rollup", { situacao: "smallint", centre: "text" }, ", valor numeric not null");
    await db.query(
      `select create_rollup('pagamentos_erp', 'paid_rollup', '{situacao, centre}', '{valor}',
         'select id, data_pagamento as at, data_pagamento as day, situacao, left(id_centro_custo, 200) as centre, nullif(valor, ''NaN'') as valor from ROWS')`,
    );
  };
  const verifyPaidRollup = async () => (await verify()).find(({ table }) => table === "paid_rollup");
  const writeAtRandom = async (n: number) => {
    const loaders = await Promise.all(Array.from({ length: inject("isServer") ? 4 : 1 }, warehouse.connect));
    await runRandomLoaders(loaders, seed + n, 25, inject("isServer"));
  };
  const triggers = async () =>
    (
      await db.query(
        "select prosrc from pg_trigger t join pg_proc p on p.oid = tgfoid where tgrelid = 'pagamentos_erp'::regclass order by tgname",
      )
    ).rows;

  it("fills a rollup and keeps it exact under writes by many concurrent loaders; drop_rollup removes all of it", async () => {
    const before = await triggers();
    await insert(db, "pagamentos_erp", 20);
    await createPaid();
    expect(await verifyPaidRollup()).toEqual({ table: "paid_rollup", differences: 0, repaired: false });
    const total = "select coalesce(sum(nullif(valor, 'NaN')), 0) as total from";
    const { rows } = await db.query(`${total} paid_rollup where grain = 'all'`);
    expect(rows).toEqual((await db.query(`${total} pagamentos_erp`)).rows);
    await writeAtRandom(1);
    expect(await differingSums()).toEqual([]);

    await db.query("select drop_rollup('paid_rollup')");
    await writeAtRandom(2);
    expect(await differingSums()).toEqual([]);
    expect(await triggers()).toEqual(before);
    expect((await db.query("select from pg_class where relname like 'paid\\_rollup%'")).rows).toEqual([]);
    expect((await db.query("select from pg_proc where proname like 'paid\\_rollup%'")).rows).toEqual([]);
  });

  it.runIf(inject("isServer"))(
    "makes a loader wait, without an error, while a rollup is created or dropped",
    async () => {
      const loader = await warehouse.connect();
      for (const change of [createPaid, () => db.query("select drop_rollup('paid_rollup')")]) {
        await db.query("begin");
        await change();
        const written = insert(loader, "pagamentos_erp", 1);
        await new Promise((resolve) => setTimeout(resolve, 300));
        await db.query("commit");
        expect((await written).rowCount).toBe(1);
        expect(await differingSums()).toEqual([]);
      }
    },
  );

  it("does not block readers of the table", async () => {
    await db.query("begin");
    await createPaid();
    const { rows } = await db.query(
      // Only this session's locks: in another copy of the template, the table has the same oid.
      "select mode from pg_locks where relation = 'pagamentos_erp'::regclass and pid = pg_backend_pid()",
    );
    expect(rows).toContainEqual({ mode: "ShareRowExclusiveLock" });
    expect(rows).not.toContainEqual({ mode: "AccessExclusiveLock" });
    await db.query("rollback");
  });

  it("counts a missing measure as 0 and a missing day as -infinity", async () => {
    await db.query("create table sparse (id bigint, at date, v numeric)");
    await createTable("sparse_rollup", { k: "int" }, ", v numeric not null");
    await db.query(
      "select create_rollup('sparse', 'sparse_rollup', '{k}', '{v}', 'select id, at, at as day, 1 as k, v from ROWS')",
    );
    await db.query("insert into sparse values (1, null, null), (2, '-infinity', 3), (3, '2026-11-22', null)");
    const { rows } = await db.query(
      "select starts_on::text, records::int, v::int from sparse_rollup where grain = 'day' order by 1",
    );
    expect(rows).toEqual([
      { starts_on: "-infinity", records: 2, v: 3 },
      { starts_on: "2026-11-22", records: 1, v: 0 },
    ]);
    expect(await differingSums()).toEqual([]);
    await db.query("select drop_rollup('sparse_rollup'); drop table sparse");
  });

  it.each([
    ["drop_rollup of a table that is not a rollup", "select drop_rollup('taxas_cartao')", "42704"],
    [
      "a table without the rollup's columns",
      "select create_rollup('jobs_log', 'taxas_cartao', '{queue}', '{}', 'select id, created_at as at, current_date as day, queue from ROWS')",
      "42703",
    ],
    [
      "a rollup without a key",
      "select create_rollup('jobs_log', 'taxas_cartao', '{}', '{}', 'select id, created_at as at, current_date as day from ROWS')",
      "22023",
    ],
    [
      "a key with a reserved name",
      "select create_rollup('jobs_log', 'taxas_cartao', '{day}', '{}', 'select id, created_at as at, current_date as day from ROWS')",
      "22023",
    ],
    [
      "an isolation level that misses rows",
      "begin isolation level repeatable read; select create_rollup('jobs_log', 'x', '{queue}', '{}', 'select 1 from ROWS')",
      "25001",
    ],
  ])("rejects %s", async (_, call, code) => {
    await expect(db.query(call)).rejects.toMatchObject({ code });
    await db.query("rollback");
    expect((await db.query("select from taxas_cartao")).rowCount).toBeGreaterThan(0);
  });
});
