// @module-tag slow
import pg from "pg";
import { afterAll, beforeAll, it } from "vitest";
import { expectInvariant, INVARIANTS, type Invariant } from "../../support/invariants.ts";
import { type Database, openDemo } from "../../support/node/databases.ts";

/** A warehouse of a given size, as tests and the bench use it. No other test adds rows to it. */
let database: Database;
let db: pg.Client;
beforeAll(async () => {
  database = await openDemo(process.env.TEST_DATABASE_URL, 3000);
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  await db.query("set timezone = 'America/Sao_Paulo'");
}, 180_000);
afterAll(async () => {
  await db.end();
  await database.close();
});

const OF_EVEN_STEPS: Invariant[] = [
  [
    "Saturdays are full and Mondays are empty",
    "(select extract(isodow from data_hora) as day, count(*) / sum(count(*)) over () as share from transacoes group by 1) d",
    "case day when 6 then share > 0.25 when 1 then share < 0.02 else share between 0.1 and 0.2 end",
  ],
  [
    "the three hours after work are full",
    "(select avg((extract(hour from data_hora) between 17 and 19)::int) as share from transacoes) t",
    "share between 0.4 and 0.5",
  ],
  [
    "one client in twenty comes to one salon every three weeks, and makes a fifth of the visits or more",
    `(select count(*) filter (where units = 1 and gap between interval '19 days' and interval '23 days') as regulars, count(*) as clients,
        sum(visits) filter (where units = 1 and gap between interval '19 days' and interval '23 days') / sum(visits) as share
      from (select cliente_salon_id, count(*) as visits, count(distinct estabelecimento_id) as units, percentile_cont(0.5) within group (order by gap) as gap
        from (select *, data_hora - lag(data_hora) over (partition by cliente_salon_id order by data_hora) as gap from transacoes where cliente_salon_id is not null) t
        group by 1 having count(*) > 2) c) c`,
    "regulars between clients * 0.04 and clients * 0.08 and share between 0.2 and 0.3",
  ],
  [
    "each store has a sale on every day before today, until it closes",
    "estabelecimentos e, generate_series(now()::date - 1094, now()::date - 1, interval '1 day') day where salon_id > '200' and (ativo or day < now() - interval '13 months')",
    "exists (select from vendas_produto where estabelecimento_id = e.salon_id and data_hora >= day and data_hora < day + interval '1 day')",
  ],
];

it.each([...INVARIANTS, ...OF_EVEN_STEPS])("in a warehouse of a given size, %s", (_, relation, holds) =>
  expectInvariant(db, relation, holds),
);
