// @module-tag slow
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { define, generateChain } from "../../../tools/warehouse/generate.ts";
import { plan } from "../../../tools/warehouse/invented/chain.ts";
import { NEXT_QUESTIONS } from "../../extensions/mcp/next-questions-sql.ts";
import { ENTRIES, expectInvariant, INVARIANTS, type Invariant } from "../../support/invariants.ts";
import { type Database, openMigrated } from "../../support/node/databases.ts";
import { plainSql } from "../../support/plain-tables.ts";

/** The warehouse that `npm start` fills. No other test adds rows to it. */
let database: Database;
let db: pg.Client;
beforeAll(async () => {
  database = await openMigrated(process.env.TEST_DATABASE_URL);
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  await generateChain(db);
  await db.query("set timezone = 'America/Sao_Paulo'");
}, 180_000);
afterAll(async () => {
  await db.end();
  await database.close();
});

const MONTH = "date_trunc('month', now())";
/** The last 14 whole months. */
const MONTHS = `generate_series(${MONTH} - interval '14 months', ${MONTH} - interval '1 month', interval '1 month') month`;
/** What customers paid in salons and stores. */
const PAID = `(select estabelecimento_id as unit, data_hora, total as value, cliente_salon_id from transacoes
    where forma_pagamento_principal is distinct from 'Descontar do Profissional'
  union all
  select estabelecimento_id, data_hora, valor_total, null from vendas_produto
    where origem = 'loja' and forma_pagamento is distinct from 'Descontar do Profissional') paid`;
const OF_A_YEAR = `(select sum(value) from ${PAID} where data_hora >= now() - interval '12 months')`;
const visitsBetween = (from: string, to: string) =>
  `count(*) filter (where data_hora between now() - interval '${from}' and now() - interval '${to}')`;

const OF_THE_CHAIN: Invariant[] = [
  [
    "each salon has at least 150 visits a month in the last 14 whole months",
    `estabelecimentos e, ${MONTHS} where salon_id < '200'`,
    `(select count(*) from transacoes where estabelecimento_id = e.salon_id
      and data_hora >= month and data_hora < month + interval '1 month') >= 150`,
  ],
  [
    "December is the strongest month of twelve, and January is below the average",
    `(select month, value, avg(value) over () as average, max(value) over () as highest
      from (select date_trunc('month', data_hora) as month, sum(value) as value from ${PAID}
        where data_hora >= ${MONTH} - interval '12 months' and data_hora < ${MONTH} group by 1) m) m
     where extract(month from month) in (12, 1)`,
    "case extract(month from month) when 12 then value = highest and value > average * 1.1 else value < average end",
  ],
  [
    "Saturday is the strongest day, Monday is weak, and salons are closed on Sunday",
    "(select extract(isodow from data_hora) as day, count(*) / sum(count(*)) over () as share from transacoes group by 1) d",
    "case day when 6 then share > 0.27 when 1 then share < 0.08 when 7 then false else share between 0.1 and 0.25 end",
  ],
  [
    "each store has a sale on every day of the last 14 months before today, until it closes",
    `estabelecimentos e, generate_series(${MONTH} - interval '14 months', now()::date - 1, interval '1 day') day
     where salon_id > '200' and (ativo or day < now() - interval '13 months')`,
    `exists (select from vendas_produto where estabelecimento_id = e.salon_id
      and data_hora >= day and data_hora < day + interval '1 day')`,
  ],
  [
    "one salon grows and one falls, compared with a year before",
    `(select estabelecimento_id as unit, ${visitsBetween("60 days", "0")} / ${visitsBetween("425 days", "365 days")}::numeric as growth
      from transacoes group by 1) g where unit in ('103', '104')`,
    "case unit when '103' then growth > 1.1 else growth < 0.95 end",
  ],
  [
    "some clients of each of the last six months are new, and most have been there before",
    `(select date_trunc('month', data_hora) as month, avg((data_hora = first)::int) as share
      from (select data_hora, min(data_hora) over (partition by cliente_salon_id) as first from transacoes
        where cliente_salon_id is not null) v
      where data_hora >= ${MONTH} - interval '6 months' and data_hora < ${MONTH} group by 1) m`,
    "share between 0.08 and 0.25",
  ],
  [
    "some clients with three visits or more have not come for 90 days",
    `(select count(*) filter (where latest < now() - interval '90 days') as lost, count(*) as clients
      from (select max(data_hora) as latest from transacoes where cliente_salon_id is not null
        group by cliente_salon_id having count(*) >= 3) c) c`,
    "lost between clients * 0.1 and clients * 0.8",
  ],
  [
    "the salon that falls lost most regulars: clients of five months out of six who have not come since",
    `(select unit, rank() over (order by count(*) desc) as place
      from (select (array_agg(estabelecimento_id order by data_hora desc))[1] as unit, max(data_hora) as latest,
          count(distinct date_trunc('month', data_hora)) filter (where data_hora >= ${MONTH} - interval '7 months') as months
        from transacoes where cliente_salon_id is not null group by cliente_salon_id) c
      where months >= 5 and latest < ${MONTH} - interval '1 month' group by unit) l`,
    "(unit = '104') = (place = 1)",
  ],
  [
    "some clients come to two salons",
    `(select avg((units = 2)::int) as share, max(units) as most
      from (select count(distinct estabelecimento_id) as units from transacoes where cliente_salon_id is not null
        group by cliente_salon_id) c) c`,
    "share between 0.03 and 0.2 and most = 2",
  ],
  [
    "some clients of the last twelve months bought products in each salon, and nothing else",
    `(select unit, count(*) as clients
      from (select min(estabelecimento_id) as unit from transacoes
        where cliente_salon_id is not null and data_hora >= now() - interval '12 months'
        group by cliente_salon_id
        having bool_and(servicos is null) and bool_or(salon_id in (select transacao_id from vendas_produto))) c
      group by unit) u`,
    "clients > 0 and count(*) over () = 6",
  ],
  [
    "in each salon, professionals are paid at a cost centre of their own, and so is one without a salon",
    `(select salon_estabelecimento_id as unit, count(*) over () as units, count(distinct p.id) as people
      from pagamentos_erp join profissionais p on erp_centro_custo_id = id_centro_custo group by 1) p`,
    "units = 7 and people < 10",
  ],
  [
    "each active unit with sales has a goal for each of the last 14 months and the rest of this year",
    `estabelecimentos e, generate_series(${MONTH} - interval '14 months', date_trunc('year', now()) + interval '11 months', interval '1 month') month
     where ativo and salon_id is not null`,
    "exists (select from metas where estabelecimento_id = e.salon_id and mes = month::date and valor > 0)",
  ],
  [
    "the goals of the last twelve months are near what customers paid",
    `(select sum(valor) as goals from metas where mes >= ${MONTH} - interval '12 months' and mes < ${MONTH}) m`,
    `goals between ${OF_A_YEAR} * 0.85 and ${OF_A_YEAR} * 1.2`,
  ],
  [
    "the ledger of each of the last twelve months has commissions, rent and supplies",
    `(select array_agg(distinct "PlanoContas" ->> 'Nome') as accounts, count(*) over () as months from ${ENTRIES}
      where "DataVencimento" >= ${MONTH} - interval '12 months' and "DataVencimento" < ${MONTH}
      group by date_trunc('month', "DataVencimento")) m`,
    "months = 12 and accounts @> array['Comissões', 'Aluguel', 'Fornecedores']",
  ],
  [
    "a ledger entry for rent or supplies is the whole ERP payment",
    `${ENTRIES} left join pagamentos_erp p on erp_id = "IdPagamento" where "Tipo" = 'despesa'`,
    `"ValorBruto" = p.valor and "Transacao" is null and "Pessoa" is not null and "CentroCusto" = id_centro_custo`,
  ],
  [
    "from 1 to 2 % of a year's turnover is overdue",
    "(select sum(valor) as overdue from pagamentos_erp where situacao = 1 and data_vencimento < now()::date) p",
    `overdue between ${OF_A_YEAR} * 0.01 and ${OF_A_YEAR} * 0.02`,
  ],
  [
    "payments are due this week, later within 30 days, and without a date",
    `(select count(*) filter (where data_vencimento between now()::date and now()::date + 6) as week,
        count(*) filter (where data_vencimento between now()::date + 7 and now()::date + 29) as later,
        count(*) filter (where data_vencimento is null) as undated from pagamentos_erp where situacao = 1) p`,
    "week >= 3 and later >= 10 and undated between 1 and 40",
  ],
  [
    "a few visits are not in the ERP, some of them for more than a month",
    `(select avg((not sent_to_erp)::int) as share, min(data_hora) filter (where not sent_to_erp) as oldest from transacoes) t`,
    "share between 0.002 and 0.02 and oldest < now() - interval '1 month'",
  ],
  [
    "products are sold in each salon and open store each month",
    `estabelecimentos e, ${MONTHS} where ativo and salon_id is not null`,
    `exists (select from vendas_produto where estabelecimento_id = e.salon_id
      and data_hora >= month and data_hora < month + interval '1 month')`,
  ],
];

it.each([...INVARIANTS, ...OF_THE_CHAIN])("in the demo of npm start, %s", (_, relation, holds) =>
  expectInvariant(db, relation, holds),
);

it.each(NEXT_QUESTIONS.map(({ name, sql }) => [name, sql]))(
  "the demo of npm start tells %s",
  async (_, sql) => {
    // On the first days of a year, little of it could be told.
    const { rows } = await db.query(`select ${MONTH} - interval '12 hours' as asked`);
    const answer = await db.query(plainSql(rows[0].asked.toISOString(), sql));
    expect(answer.rows.length).toBeGreaterThan(0);
  },
);

it("plans the same visits and tickets for the same seed and time, and others for another seed", async () => {
  const print = async (seed: number) => {
    await db.query("begin");
    await define(db, { seed, now: new Date("2026-11-18T12:00:00Z") });
    await db.query(plan);
    const { rows } = await db.query(`select
      (select md5(string_agg(v::text, '|' order by i)) from planned_visits v) as visits,
      (select md5(string_agg(t::text, '|' order by i)) from planned_tickets t) as tickets`);
    await db.query("rollback");
    return rows[0] as { visits: string; tickets: string };
  };
  const [first, again, other] = [await print(1), await print(1), await print(2)];
  expect(again).toEqual(first);
  expect(other.visits).not.toBe(first.visits);
  expect(other.tickets).not.toBe(first.tickets);
});
