// @module-tag server
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { generateWarehouse } from "../../../tools/warehouse/generate.ts";
import { migrateWarehouse } from "../../../tools/warehouse/migrate.ts";
import { openMigrated } from "../../support/node/databases.ts";

/** Tables whose rows depend only on the seed and the time. */
const SEEDED_TABLES = [
  "profissionais",
  "produtos",
  "transacoes",
  "lancamentos",
  "pagamentos_erp",
  "vendas_produto",
  "jobs_log",
  "metas",
];

let db: pg.Client;
const query = async (sql: string) => (await db.query(sql)).rows;
const evaluate = async (sql: string) => Object.values((await query(`select ${sql} as v`))[0])[0];

beforeAll(async () => {
  db = new pg.Client({ connectionString: inject("postgresUrl") });
  await db.connect();
});
afterAll(() => db.end());

describe("migrations", () => {
  it("have no effect when applied again", async () => {
    const applied = () => query("select hash from drizzle.__drizzle_migrations order by id");
    const before = await applied();
    await migrateWarehouse(inject("postgresUrl"));
    expect(await applied()).toEqual(before);
  });

  it.each([
    "insert into pagamentos_erp (erp_id, situacao, raw_data) values (1, 3, '{}')",
    "insert into vendas_produto (origem, transacao_id, estabelecimento_id) values ('web', 'x', 'x')",
    "insert into jobs_log (queue, job_name, status) values ('q', 'other-job', 'started')",
    "insert into jobs_log (queue, job_name, status) values ('q', 'send-pagar', 'paused')",
    "insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data) values ('nan', 'x', 'NaN', now(), '{}')",
    "insert into users (email, name, password_hash) values ('Upper@example.com', 'x', 'x')",
  ])("add a check that rejects %s", async (insert) => {
    await expect(db.query(insert)).rejects.toMatchObject({ code: "23514" });
  });
});

describe("the demo warehouse", () => {
  it.each([
    [
      "six salons and five stores",
      "(select count(*) from estabelecimentos where salon_id < '200') = 6 and (select count(*) from estabelecimentos where salon_id > '200') = 5",
    ],
    [
      "stores with products and sales",
      "(select count(distinct estabelecimento_id) from vendas_produto where origem = 'loja') = 5 and (select count(distinct estabelecimento_id) from produtos) = 11",
    ],
    [
      "stores without visits and ledger entries",
      "not exists (select from transacoes where estabelecimento_id like '2%') and not exists (select from lancamentos where estabelecimento_id like '2%')",
    ],
    [
      "about 120 professionals, some inactive",
      "(select count(*) filter (where not ativo) between 5 and 30 and count(*) = 120 from profissionais)",
    ],
    [
      "professionals who are not mapped",
      "exists (select from transacoes, jsonb_array_elements(servicos) s where s ->> 'idProfissionalQueRealizouServico' not in (select salon_id from profissionais where salon_id is not null))",
    ],
    [
      "one to four services with extra keys",
      "(select min(jsonb_array_length(servicos)) = 1 and max(jsonb_array_length(servicos)) = 4 from transacoes where salon_id like 'T%') and exists (select from transacoes where servicos -> 0 ? 'nome')",
    ],
    [
      "raw_data of about 1.5 KB a visit",
      "(select avg(length(raw_data::text)) between 1200 and 1800 from transacoes where salon_id like 'T%')",
    ],
    [
      "raw_data of about 1 KB a ledger entry, with its known keys",
      "(select avg(length(raw_data::text)) between 800 and 1200 and bool_and(raw_data ?& array['Pessoa','CentroCusto','ValorBruto','DataVencimento']) from lancamentos where salon_id like 'L%')",
    ],
    [
      "payments paid and pending, of every kind",
      "(select count(distinct situacao) = 2 and array_agg(distinct nome_conta_classificacao) @> array['Aluguel','Água','Energia elétrica','Condomínio','Manutenção predial'] from pagamentos_erp)",
    ],
    ["gaps in ids", "(select max(id) > count(*) from lancamentos)"],
    [
      "a catalogue synced last Sunday at 05:00 Brasília",
      "(select bool_and(extract(dow from synced_at at time zone 'America/Sao_Paulo') = 0 and to_char(synced_at at time zone 'America/Sao_Paulo', 'HH24') = '05' and synced_at between now() - interval '7 days 1 hour' and now()) from produtos where salon_id like 'P%')",
    ],
    [
      "jobs in the last 24 hours",
      "(select count(distinct status) = 3 from jobs_log where created_at > now() - interval '24 hours')",
    ],
    [
      "goals for every month of this year, in full hundreds, of each active unit but the office",
      `(select count(*) = 120 and count(distinct estabelecimento_id) = 10 and min(mes) = date_trunc('year', now() at time zone 'America/Sao_Paulo')
        and max(mes) = min(mes) + interval '11 months' and bool_and(valor % 100 = 0) from metas where estabelecimento_id like '___')`,
    ],
    [
      "goals of salons near their turnover",
      `(select bool_and(valor between paid / 12 * 0.9 - 50 and greatest(100, paid / 12 * 1.15 + 50)) from metas
        join (select estabelecimento_id, sum(total) as paid from transacoes where salon_id like 'T%'
          and data_hora >= now() - interval '12 months' and forma_pagamento_principal is distinct from 'Descontar do Profissional'
          group by 1) as turnover using (estabelecimento_id))`,
    ],
    ["card fees for some forms", "(select count(*) from taxas_cartao) = 3"],
  ])("has %s", async (_, condition) => {
    expect(await evaluate(condition)).toBe(true);
  });

  it("has a null in every nullable column", async () => {
    const nullable = await query(`select table_name as t, column_name as c from information_schema.columns
      where table_schema = 'public' and is_nullable = 'YES' and table_name not like '%rollup%' and table_name not like '%changes' and table_name !~ '_facts(_expected)?$'
        and table_name not in ('agent_tokens', 'oauth_secrets', 'acessos', 'erasures') order by 1, 2`);
    expect(nullable.length).toBeGreaterThan(30);
    const without: string[] = [];
    for (const { t, c } of nullable)
      if (!(await evaluate(`exists (select from ${t} where ${c} is null)`))) without.push(`${t}.${c}`);
    expect(without).toEqual([]);
  });

  it("is the same for the same seed and time, and differs for another seed", async () => {
    const print = async (seed: number) => {
      const embedded = await openMigrated(undefined);
      const client = new pg.Client({ connectionString: embedded.url });
      await client.connect();
      await generateWarehouse(client, { visits: 30, seed, now: new Date("2026-11-18T12:00:00Z") });
      const prints: string[] = [];
      for (const table of SEEDED_TABLES) {
        const { rows } = await client.query(
          `select md5(string_agg(t::text, '|' order by id)) as print from ${table} t`,
        );
        prints.push(rows[0].print);
      }
      await client.end();
      await embedded.close();
      return prints;
    };
    const [first, again, other] = [await print(1), await print(1), await print(2)];
    expect(again).toEqual(first);
    for (const [n, print] of first.entries()) expect(other[n], SEEDED_TABLES[n]).not.toBe(print);
  });
});
