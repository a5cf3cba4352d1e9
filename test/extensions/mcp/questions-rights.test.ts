// @module-tag server
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { UNRESTRICTED } from "../../../src/core/rights.ts";
import { type Assistant, startAssistant } from "../../support/worker/agents.ts";
import { sql } from "../../support/worker/api.ts";
import { signTokenOf } from "../../support/worker/client.ts";
import { solveAt } from "../../support/worker/plain-answers.ts";

/**
 * Questions of three users, answered with the list of tools alone: no instructions. Plain SQL over the base tables
 * computes the right answer for the rights of each.
 */
const MAX_CALLS = 25;
const MAX_CHARACTERS = 50_000;

type Answer<Measures> = { data: (Measures & Record<string, unknown>)[]; totais: Measures };
type Measures<Name extends string> = Record<Name, number>;

let now: string;
let owner: Assistant;
let manager: Assistant;
let auditor: Assistant;
let asked = 0;

const solve = async (query: string) => (await solveAt(now, query))[0] ?? {};
const question = (title: string, answer: () => Promise<void>) =>
  it(title, async () => {
    await answer();
    asked += 1;
  });

const MANAGERS_NOTE = "This token reads only unit 101; jobs are of the whole chain.";

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  now = new Date().toISOString();
  const start = async (rights: Partial<typeof UNRESTRICTED>) =>
    startAssistant({ Authorization: `Bearer ${await signTokenOf(1, { ...UNRESTRICTED, ...rights })}` });
  owner = await start({});
  manager = await start({ units: ["101"], payments: false });
  auditor = await start({ personalData: false });
  await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome, parcelas, servicos,
      raw_data)
    select 'rights question ' || n, case n % 2 when 0 then '101' else '102' end, 100 + n, ${now}::timestamptz - n * interval '1 day',
      'client ' || n % 3, 'Bruna Barbosa', n % 5, '[{"nome": "Corte", "valor": 100, "cortesia": true}]', '{"a": 1}'
    from generate_series(0, 40) as n`;
});

afterAll(async () => {
  vi.useRealTimers();
  await sql`delete from transacoes where salon_id like 'rights question %'`;
});

question("the owner asks which unit earned most in the last 30 days (R20)", async () => {
  const { data } = await owner.ask<Answer<Measures<"valor_total">>>("faturamento", {
    por: "unidade",
    medidas: "valor_total",
    periodo: "30-dias",
    ordem: "-valor_total",
    limite: 1,
  });
  const best = await solve(`, revenue as (
      select estabelecimento_id, at, total as amount from visits
      union all
      select estabelecimento_id, at, case when (origem = 'salao') = is_taken then case when is_taken then -amount else amount end else 0 end
      from lines where origem = 'loja' or is_taken)
    select estabelecimento_id as unit, sum(amount)::float8 as total from revenue, clock
    where at >= tomorrow - interval '30 days' and at < tomorrow group by 1 order by 2 desc limit 1`);
  expect([data[0]?.estabelecimento_id, data[0]?.valor_total]).toEqual([best.unit, best.total]);
});

question("the owner asks what share of this year's services was free (R20)", async () => {
  const { totais } = await owner.ask<Answer<Measures<"servicos" | "cortesias">>>("servicos", {
    periodo: "ano",
  });
  const counts =
    await solve(`select count(*)::int as services, count(*) filter (where service -> 'cortesia' = 'true')::int as free
    from visits, clock, jsonb_array_elements(case jsonb_typeof(servicos) when 'array' then servicos else '[]' end) as service
    where jsonb_typeof(service) = 'object' and at >= this_year and at < tomorrow`);
  expect([totais.servicos, totais.cortesias]).toEqual([counts.services, counts.free]);
  expect(totais.cortesias).toBeGreaterThan(0);
});

question("the owner asks what is due in the next seven days (R20, I7)", async () => {
  const { totais } = await owner.ask<Answer<Measures<"pendentes" | "valor_pendente">>>("pagamentos", {
    situacao: "1",
    periodo: "proximos-7-dias",
  });
  const due =
    await solve(`select count(*)::int as payments, coalesce(sum(valor), 0)::float8 as total from pagamentos_erp, clock
    where situacao = 1 and data_vencimento >= now_::date and data_vencimento < now_::date + 7 and valor between -1e15 and 1e15`);
  expect([totais.pendentes, totais.valor_pendente]).toEqual([due.payments, due.total]);
});

question("the owner asks for the busiest weekday of this year (R20)", async () => {
  const { data } = await owner.ask<Answer<Measures<"visitas">>>("visitas", {
    por: "dia_semana",
    medidas: "visitas",
    periodo: "ano",
    ordem: "-visitas",
    limite: 1,
  });
  const best =
    await solve(`select extract(isodow from at)::int as weekday, count(*)::int as visits from visits, clock
    where at >= this_year and at < tomorrow group by 1 order by 2 desc, 1 limit 1`);
  expect([data[0]?.dia_semana, data[0]?.visitas]).toEqual([best.weekday, best.visits]);
});

question(
  "the manager of a unit asks for the visits of this month, and learns whose they are (M7)",
  async () => {
    const { transacoes } = await manager.ask<{ transacoes: { total: number } }>("resumo", { periodo: "mes" });
    expect(manager.note()).toBe(MANAGERS_NOTE);
    const mine = await solve(`select count(*)::int as visits from visits, clock
    where estabelecimento_id = '101' and at >= this_month and at < tomorrow`);
    expect(transacoes.total).toBe(mine.visits);
  },
);

question("the manager compares last month with the month before (R23, M7)", async () => {
  type Compared = Measures<"visitas"> & { anterior: Measures<"visitas"> };
  const { totais } = await manager.ask<{ totais: Compared }>("visitas", {
    medidas: "visitas",
    periodo: "mes-passado",
    comparar: "mes-anterior",
  });
  expect(manager.note()).toBe(MANAGERS_NOTE);
  const mine = await solve(`select count(*) filter (where at >= last_month)::int as now,
      count(*) filter (where at < last_month)::int as before
    from visits, clock where estabelecimento_id = '101' and at >= last_month - interval '1 month' and at < this_month`);
  expect([totais.visitas, totais.anterior.visitas]).toEqual([mine.now, mine.before]);
});

question("the manager asks what the unit owes, and finds no tool for it (M7)", async () => {
  expect(() => manager.assertNamed('"name":"pagamentos"')).toThrow();
  const { direitos } = await manager.ask<{ direitos: object }>("frescor");
  expect(direitos).toEqual({ unidades: ["101"], dados_pessoais: true, pagamentos: false });
});

question("the manager lists the team, and it is that of the unit (M7)", async () => {
  const { pagination } = await manager.ask<{ pagination: { total: number } }>("listProfissionais", {
    per_page: 1,
  });
  expect(manager.note()).toBe(MANAGERS_NOTE);
  const mine = await solve(
    `select count(*)::int as people from profissionais where salon_estabelecimento_id = '101'`,
  );
  expect(pagination.total).toBe(mine.people);
});

question("an auditor without personal data counts the clients of last month (R24)", async () => {
  const { totais } = await auditor.ask<Answer<Measures<"clientes">>>("visitas", {
    medidas: "clientes",
    periodo: "mes-passado",
  });
  expect(auditor.note()).toBeUndefined();
  const all =
    await solve(`select count(distinct cliente_salon_id collate "C")::int as clients from visits, clock
    where at >= last_month and at < this_month`);
  expect(totais.clientes).toBe(all.clients);
});

question("the auditor asks for the average of visits in three or more instalments (R21)", async () => {
  const { totais } = await auditor.ask<Answer<Measures<"visitas" | "ticket_medio">>>("visitas", {
    medidas: "visitas,ticket_medio",
    periodo: "ano",
    parcelas_min: 3,
  });
  const all =
    await solve(`select count(*)::int as visits, round(avg(total), 2)::float8 as average from visits, clock
    where parcelas >= 3 and at >= this_year and at < tomorrow`);
  expect([totais.visitas, totais.ticket_medio]).toEqual([all.visits, all.average]);
});

question("the auditor reads a visit, and hidden fields do not look missing (M7)", async () => {
  const id = "rights question 1";
  const visit = await auditor.ask<Record<string, unknown>>("findTransacao", { id });
  expect([visit.cliente_nome, visit.raw_data]).toEqual([null, {}]);
  expect(auditor.note()).toBe(
    "Hidden from this token, with or without a value: cliente_salon_id, cliente_nome, raw_data. Shortened: items of servicos.",
  );
});

question("the auditor asks what professionals took this year (R20)", async () => {
  const { totais } = await auditor.ask<Answer<Measures<"quantidade_profissional" | "valor_profissional">>>(
    "vendas",
    {
      periodo: "ano",
    },
  );
  const all =
    await solve(`select coalesce(sum(case when quantidade between -1e15 and 1e15 then quantidade end), 0)::float8 as quantity, coalesce(sum(amount), 0)::float8 as total from lines, clock
    where is_taken and at >= this_year and at < tomorrow`);
  expect([totais.quantidade_profissional, totais.valor_profissional]).toEqual([all.quantity, all.total]);
});

it("answers the twelve questions in 25 calls and 50,000 characters (M4, M7)", () => {
  const costs = [owner, manager, auditor].map(({ cost }) => cost);
  expect(asked).toBe(12);
  expect(costs.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThanOrEqual(MAX_CALLS);
  expect(costs.reduce((sum, { characters }) => sum + characters, 0)).toBeLessThanOrEqual(MAX_CHARACTERS);
});
