import { pipeline } from "node:stream/promises";
import fc from "fast-check";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { migrateWarehouse } from "../../tools/warehouse/migrate.ts";
import { verifyRollups } from "../../tools/warehouse/verify.ts";
import { openDatabase } from "../support/global-setup.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let db: pg.Client;

const clients: pg.Client[] = [];
const connect = async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  clients.push(client);
  return client;
};

beforeAll(async () => {
  database = await openDatabase(process.env.TEST_DATABASE_URL);
  await migrateWarehouse(database.url);
  db = await connect();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.close();
});

const verify = (repair = false) => verifyRollups(database.url, { repair, report: () => {} });
const differing = async () => (await verify()).filter(({ differences }) => differences > 0);

/** What a table's rows can hold of what is summed, and of what is not, as SQL. */
const words = (...values: (string | null)[]) =>
  `(array[${values.map((value) => (value === null ? "null" : `'${value}'`)).join()}])[1 + floor(random() * ${values.length})::int]`;
const moment = "timestamptz '2024-12-20 02:59:59.999999Z' + random() * interval '100 days'";
const TABLES: Record<string, Record<string, string>> = {
  transacoes: {
    estabelecimento_id: words("101", "102", "201"),
    total: "round((random() * 900 - 100)::numeric, 2)",
    data_hora: moment,
    forma_pagamento_principal: words("Pix", "Dinheiro", null, "Açaí’s"),
    servicos: `${words(
      '[{"idProfissionalQueRealizouServico": 5001}, {"idProfissionalQueRealizouServico": "5001"}, {"idProfissionalQueRealizouServico": 5002}]',
      '[{"idProfissionalQueRealizouServico": ""}, {"nome": "Corte"}, 7, null]',
      '[{"idProfissionalQueRealizouServico": {"odd": true}}]',
      '{"idProfissionalQueRealizouServico": 5001}',
      `[{"idProfissionalQueRealizouServico": "${"9".repeat(5000)}"}]`,
      "[]",
      null,
    )}::jsonb`,
    sent_to_erp: "random() < 0.5",
    raw_data: "'{}'::jsonb",
  },
  lancamentos: {
    estabelecimento_id: words("101", "102"),
    synced_at: moment,
    sent_to_salon: "random() < 0.5",
    raw_data: "'{}'::jsonb",
  },
  pagamentos_erp: {
    id_centro_custo: words("7001", null),
    situacao: "1 + floor(random() * 2)::int",
    nome_conta_classificacao: words("Aluguel", "Água", null),
    data_vencimento: `case when random() < 0.8 then (${moment})::date end`,
    raw_data: "'{}'::jsonb",
  },
  vendas_produto: {
    estabelecimento_id: words("101", "201"),
    origem: words("salao", "loja"),
    data_hora: `case when random() < 0.8 then ${moment} end`,
    transacao_id: "'x'",
  },
  jobs_log: {
    queue: "'sync'",
    job_name: words("sync-transacoes", "send-pagar"),
    status: words("started", "completed", "failed"),
    created_at: moment,
  },
};

/** The column a loader knows a row by. */
const KEY: Record<string, string> = {
  pagamentos_erp: "erp_id",
  transacoes: "salon_id",
  lancamentos: "salon_id",
};

type Operation = {
  table: string;
  kind: "insert" | "update" | "touch" | "upsert" | "delete" | "truncate" | "copy";
  rows: number;
};
const operation: fc.Arbitrary<Operation> = fc.record({
  table: fc.constantFrom(...Object.keys(TABLES)),
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant("insert" as const) },
    { weight: 5, arbitrary: fc.constantFrom("update" as const, "upsert" as const, "delete" as const) },
    // The embedded Postgres does not speak the protocol of COPY.
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "touch" as const,
        inject("isServer") ? ("copy" as const) : ("touch" as const),
      ),
    },
    { weight: 1, arbitrary: fc.constant("truncate" as const) },
  ),
  rows: fc.integer({ min: 1, max: 40 }),
});

let next = 0;
const someRows = (table: string, rows: number) =>
  `id in (select id from ${table} order by random() limit ${rows} for update skip locked)`;

const run = async (client: pg.Client, { table, kind, rows }: Operation) => {
  const fields = TABLES[table] ?? {};
  const key = KEY[table];
  const names = [...Object.keys(fields), ...(key ? [key] : [])].join();
  next += rows;
  const values = (spread: string) =>
    `select ${[...Object.values(fields), ...(key ? [key === "erp_id" ? spread : `'K' || ${spread}`] : [])].join()} from generate_series(${next - rows + 1}, ${next}) i`;
  const changes = Object.entries(fields).map(([name, value]) => `${name} = ${value}`);
  const insert = `insert into ${table} (${names}) ${values("i")}`;
  switch (kind) {
    case "insert":
      return client.query(insert);
    case "update":
      return client.query(`update ${table} set ${changes.join()} where ${someRows(table, rows)}`);
    case "touch":
      return client.query(`update ${table} set id = id where ${someRows(table, rows)}`);
    case "delete":
      return client.query(`delete from ${table} where ${someRows(table, rows)}`);
    case "truncate":
      return client.query(`truncate ${table}`);
    case "copy": {
      const { rows: lines } = await client.query({ text: values("i"), rowMode: "array" });
      const copy = client.query(copyFrom(`copy ${table} (${names}) from stdin with (format csv)`));
      const cell = (value: unknown): string => {
        if (value === null) return "";
        if (value instanceof Date) return value.toISOString();
        return `"${(typeof value === "object" ? JSON.stringify(value) : String(value)).replaceAll('"', '""')}"`;
      };
      return pipeline(
        lines.map((line) => `${line.map(cell).join()}\n`),
        copy,
      );
    }
    case "upsert":
      // Rows that other writers may be changing too, in no order: the sums must not add a deadlock of their own.
      // Their keys are below zero, so that no insert finds its key taken.
      return key
        ? client.query(
            `insert into ${table} (${names}) select distinct on (${key}) * from (${values("(-ceil(random() * 1000))::int")}) as r (${names})
             on conflict (${key}) do update set ${Object.keys(fields)
               .map((name) => `${name} = excluded.${name}`)
               .join()}`,
          )
        : client.query(insert);
  }
};

/** SQLSTATE of a deadlock among the loaders' own rows, which sums neither cause nor cure. */
const DEADLOCK = "40P01";

describe("the sums the database keeps", () => {
  it("stay exact under random writes of several loaders at once", { timeout: 300_000 }, async () => {
    const loaders = await Promise.all(Array.from({ length: inject("isServer") ? 4 : 1 }, connect));
    const kinds = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        loaders.map(async (client, i) => {
          const seed = inject("fuzzSeed") + round * 10 + i;
          const operations = fc.sample(fc.array(operation, { minLength: 3, maxLength: 6 }), {
            numRuns: 25,
            seed,
          });
          for (const transaction of operations) {
            await client.query("begin");
            try {
              for (const step of transaction) {
                await run(client, step);
                kinds.add(`${step.kind} ${step.table}`);
              }
              await client.query(Math.random() < 0.15 ? "rollback" : "commit");
            } catch (error) {
              await client.query("rollback");
              if ((error as pg.DatabaseError).code !== DEADLOCK) throw error;
            }
          }
        }),
      );
      expect(await differing()).toEqual([]);
    }
    expect(kinds.size, "every kind of write, on every table").toBe(inject("isServer") ? 35 : 30);
    const { rows } = await db.query("select (select count(*) from transacoes_rollup) > 0 as kept");
    expect(rows).toEqual([{ kept: true }]);
  });

  it("verify finds one sum that is off, and repairs it", async () => {
    await run(db, { table: "jobs_log", kind: "insert", rows: 5 });
    await db.query(
      "update jobs_log_rollup set records = records + 1 where ctid = (select max(ctid) from jobs_log_rollup where grain = 'month')",
    );
    expect(await differing()).toEqual([{ rollup: "jobs_log_rollup", differences: 1, repaired: false }]);
    expect(await verify(true)).toContainEqual({ rollup: "jobs_log_rollup", differences: 1, repaired: true });
    expect(await differing()).toEqual([]);
  });

  it("a migration counts what is there already", async () => {
    await run(db, { table: "transacoes", kind: "insert", rows: 30 });
    const before = (await db.query("table transacoes_report_rollup_expected")).rows;
    await db.query("alter table transacoes disable trigger user");
    await db.query("delete from transacoes_report_rollup");
    await db.query("alter table transacoes enable trigger user");
    expect((await differing()).map(({ rollup }) => rollup)).toEqual(["transacoes_report_rollup"]);
    await verify(true);
    expect(before.length).toBeGreaterThan(0);
    expect((await db.query("table transacoes_report_rollup")).rowCount).toBe(before.length);
  });

  it("a loader needs no right on them", async () => {
    const role = `loader_${Math.random().toString(36).slice(2)}`;
    await db.query(
      `create role ${role}; grant select, insert, update, delete, truncate on transacoes to ${role}`,
    );
    await db.query(`set role ${role}`);
    try {
      await run(db, { table: "transacoes", kind: "insert", rows: 3 });
      await run(db, { table: "transacoes", kind: "update", rows: 3 });
      await expect(db.query("update transacoes_rollup set records = 0")).rejects.toMatchObject({
        code: "42501",
      });
    } finally {
      await db.query(`reset role; drop owned by ${role}; drop role ${role}`);
    }
    expect(await differing()).toEqual([]);
  });

  it("a day is a day in Brasília", async () => {
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

  it.runIf(inject("isServer"))(
    "two loaders that write at once do not wait for one another's sums",
    async () => {
      const [one, two] = [await connect(), await connect()];
      const insert = (id: string) =>
        `insert into jobs_log (queue, job_name, status, created_at) values ('${id}', 'send-pagar', 'failed', '2035-01-05T12:00:00Z')`;
      await one.query("begin");
      await one.query(insert("one"));
      await two.query("set lock_timeout = '1s'");
      await two.query(insert("two"));
      await one.query("commit");
      const { rows } = await db.query(
        "select count(distinct writer)::int as writers from jobs_log_rollup where starts_on = '2035-01-05'",
      );
      expect(rows).toEqual([{ writers: 2 }]);
      expect(await differing()).toEqual([]);
    },
  );

  it("refuse a TRUNCATE that could not see all of them", async () => {
    await db.query("begin isolation level repeatable read");
    await expect(db.query("truncate jobs_log")).rejects.toMatchObject({ code: "25001" });
    await db.query("rollback");
  });
});
