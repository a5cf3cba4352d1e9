// @module-tag server
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type AgentSession, ask, listAll, startWithLlmsTxt, startWithTools } from "./support/agents.ts";
import { sql } from "./support/api.ts";
import { BY_NAME } from "./support/by-name.ts";

/**
 * Twelve more questions of a manager, answered with `campos`, `periodo`, `comparar` and reports. Their answers are
 * compared with SQL over the tables. The budget does not include the instructions.
 */
const MAX_CALLS = 24;
const MAX_CHARACTERS = 120_000;

type Params = Record<string, string>;

let session: AgentSession;
let today: string | undefined;
let spent: { question: string; calls: number; characters: number }[];
/** In Brasília: the first moments of days and months, and today. */
let at: Record<
  "today" | "tomorrow" | "month" | "lastMonth" | "days7" | "days30" | "days90" | "days365",
  string
>;

const report = async <T>(name: string, params: Params) =>
  (await ask<{ data: T[] }>(session, `/v1/relatorios/${name}`, params)).data;
const list = <T>(path: string, campos: string, params?: Params) => listAll<T>(session, path, campos, params);

/** The start of the day in Brasília, so many days before the one that `frescor` calls today. */
const daysAgo = async (days: number) => {
  today ??= (await ask<{ hoje: string }>(session, "/v1/frescor")).hoje;
  return `${new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10)}T00:00:00-03:00`;
};

/** Adds up amounts by key, in cents, highest first. */
const addUp = <K>(pairs: [key: K, reais: number | string][]): [K, number][] => {
  const sums = new Map<K, number>();
  for (const [key, reais] of pairs) sums.set(key, (sums.get(key) ?? 0) + Math.round(Number(reais) * 100));
  return [...sums].sort(([, a], [, b]) => b - a);
};

// The demo warehouse of the tests is small: without these rows, some answers would be empty.
beforeAll(async () => {
  await sql.transaction([
    sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, parcelas, servicos, raw_data)
      select 'question ' || i, 101 + i % 3, 100 + i, now() - i * interval '4 days', case when i % 3 = 0 then 'new ' || i else 'C' || i % 5 end, nullif(i % 4, 0),
        jsonb_build_array(jsonb_build_object('idProfissionalQueRealizouServico', 5001 + i % 2, 'nome', 'Corte', 'valor', 60 + i),
          jsonb_build_object('nome', 'Café', 'valor', 0, 'cortesia', true)), '{}' from generate_series(0, 110) i`,
    sql`insert into lancamentos (salon_id, estabelecimento_id, synced_at, sent_to_salon, sent_at, raw_data)
      select 'question ' || i, '101', now() - i * interval '2 days', i % 2 = 0, case when i % 2 = 0 then now() - i * interval '1 day' end, '{}'
      from generate_series(1, 15) i`,
    sql`insert into pagamentos_erp (erp_id, id_centro_custo, situacao, valor, data_vencimento, descricao, raw_data)
      select 800000 + i, 7001 + i % 3, 1, nullif(i, 1) * 900.1, (now() at time zone 'America/Sao_Paulo')::date + 2 - i, 'question', '{}'
      from generate_series(1, 12) i`,
    sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, quantidade, valor_total, forma_pagamento)
      select 'loja', 'question ' || i, '201', now() - i * interval '30 days', 'P' || i, 1, 50, case when i % 2 = 0 then 'Descontar do Profissional' end
      from generate_series(1, 14) i`,
  ]);
  const [row] = await sql`select today::text, ((today + 1)::timestamp at time zone zone)::text as tomorrow,
      (date_trunc('month', today::timestamp) at time zone zone)::text as month,
      ((date_trunc('month', today::timestamp) - interval '1 month') at time zone zone)::text as "lastMonth",
      ((today - 6)::timestamp at time zone zone)::text as days7, ((today - 29)::timestamp at time zone zone)::text as days30,
      ((today - 90)::timestamp at time zone zone)::text as days90, ((today - 365)::timestamp at time zone zone)::text as days365
    from (select 'America/Sao_Paulo' as zone, (now() at time zone 'America/Sao_Paulo')::date as today) as brasilia`;
  at = row as typeof at;
});

afterAll(async () => {
  await sql.transaction([
    sql`delete from transacoes where salon_id like 'question %'`,
    sql`delete from lancamentos where salon_id like 'question %'`,
    sql`delete from pagamentos_erp where descricao = 'question'`,
    sql`delete from vendas_produto where transacao_id like 'question %'`,
  ]);
});

describe.each([
  ["/llms.txt", startWithLlmsTxt],
  ["the tools", startWithTools],
])("an agent that reads only %s (M2)", (_, start) => {
  beforeAll(async () => {
    session = await start();
    today = undefined;
    spent = [];
  });

  afterEach(({ task }) => {
    spent.push({ question: task.name, ...session.answers });
    Object.assign(session.answers, { calls: 0, characters: 0 });
  });

  it("compares the takings of each unit this month with the same days of last month and last year (R10)", async () => {
    type Takings = { data: { estabelecimento_id: string; valor_total: number }[] };
    const takings = async (comparar: string) => {
      const { data, anterior } = await ask<Takings & { anterior: Takings }>(
        session,
        "/v1/relatorios/transacoes-por-estabelecimento",
        { periodo: "mes", comparar },
      );
      return [data, anterior.data].map((rows) =>
        rows.map(({ estabelecimento_id, valor_total }) => [estabelecimento_id, valor_total]),
      );
    };
    const [now, lastMonth] = await takings("mes-anterior");
    const [again, lastYear] = await takings("ano-anterior");
    expect(again).toEqual(now);
    // On the last day of a month, the earlier range ends on the last day of its month.
    const rows = await sql`
      select coalesce((select json_agg(json_build_array(estabelecimento_id, total) order by total desc, estabelecimento_id) from (
          select estabelecimento_id, sum(total) as total from transacoes
          where data_hora >= first at time zone 'America/Sao_Paulo' and data_hora < next at time zone 'America/Sao_Paulo'
          group by 1) as units), '[]') as units
      from (select months, date_trunc('month', moved) as first,
          case when extract(day from today + 1) = 1 then date_trunc('month', moved) + interval '1 month' else moved + interval '1 day' end as next
        from (select months, today, today - months * interval '1 month' as moved
          from (select ${at.today}::date as today) as day, unnest(array[0, 1, 12]) as months) as days) as ranges
      order by months`;
    expect([now, lastMonth, lastYear]).toEqual(rows.map(({ units }) => units));
  });

  it("finds the strongest weekday of a unit last month (R12)", async () => {
    const rows = await report<{ dia_semana: number; valor_total: number }>("transacoes-por-horario", {
      estabelecimento_id: "101",
      periodo: "mes-passado",
    });
    const [best] = addUp(rows.map((row) => [row.dia_semana, row.valor_total]));
    const [row] =
      await sql`select extract(isodow from data_hora at time zone 'America/Sao_Paulo')::int as weekday,
        (sum(total) * 100)::int as cents from transacoes
      where estabelecimento_id = '101' and data_hora >= ${at.lastMonth} and data_hora < ${at.month} group by 1 order by 2 desc limit 1`;
    expect(best).toEqual([row?.weekday, row?.cents]);
  });

  it("finds the strongest professional by own production last month, and their share (R16)", async () => {
    const rows = await report<{ profissional_salon_id: string | null; valor_total: number }>(
      "producao-por-profissional",
      { periodo: "mes-passado" },
    );
    const sums = addUp(rows.map((row) => [row.profissional_salon_id, row.valor_total]));
    const all = sums.reduce((sum, [, cents]) => sum + cents, 0);
    const [row] = await sql`select id, cents::int, (sum(cents) over ())::int as all from (
        select service ->> 'idProfissionalQueRealizouServico' as id, sum((service -> 'valor')::numeric) * 100 as cents
        from transacoes, jsonb_array_elements(servicos) as service
        where data_hora >= ${at.lastMonth} and data_hora < ${at.month} group by 1) as professionals
      order by id is null, cents desc limit 1`;
    expect([sums.find(([id]) => id !== null), all]).toEqual([[row?.id, row?.cents], row?.all]);
  });

  it("lists one client's visits in ninety days, with the services (L9)", async () => {
    type Visit = { data_hora: string; total: string; servicos: { nome: string }[] | null };
    const visits = await list<Visit>("/v1/transacoes", "data_hora,total,servicos", {
      cliente_salon_id: "C4",
      data_inicio: await daysAgo(90),
    });
    const rows = await sql`select data_hora, total::text, servicos from transacoes
      where data_hora >= ${at.days90} and cliente_salon_id = 'C4' order by transacoes.data_hora desc, id desc`;
    const names = ({ servicos }: Pick<Visit, "servicos">) => servicos?.map(({ nome }) => nome) ?? null;
    expect(rows.length).toBeGreaterThan(0);
    expect(visits.map((visit) => [new Date(visit.data_hora), visit.total, names(visit)])).toEqual(
      rows.map((row) => [row.data_hora, row.total, names({ servicos: row.servicos })]),
    );
  });

  it("finds the service that brought most last month (R11)", async () => {
    const rows = await report<{ nome: string; valor_total: number }>("servicos", {
      periodo: "mes-passado",
      limite: "1",
    });
    const best =
      await sql`select service ->> 'nome' as nome, sum((service -> 'valor')::numeric)::float8 as valor_total
      from transacoes, jsonb_array_elements(servicos) as service
      where data_hora >= ${at.lastMonth} and data_hora < ${at.month} group by 1 order by 2 desc, 1 limit 1`;
    expect(rows.map(({ nome, valor_total }) => ({ nome, valor_total }))).toEqual(best);
  });

  it("counts the new and the returning clients of last month (R14)", async () => {
    const { novos, recorrentes } = await ask<{ novos: number; recorrentes: number }>(
      session,
      "/v1/relatorios/clientes",
      { periodo: "mes-passado" },
    );
    const [row] = await sql`select count(*) filter (where first >= ${at.lastMonth})::int as novos,
        count(*) filter (where first < ${at.lastMonth})::int as recorrentes
      from (select min(data_hora) as first from transacoes where data_hora < ${at.month} and cliente_salon_id is not null
        group by cliente_salon_id having max(data_hora) >= ${at.lastMonth}) as clients`;
    expect({ novos, recorrentes }).toEqual(row);
  });

  it("sums the overdue payments by cost centre, and finds the five largest (R15, L8)", async () => {
    const rows = await report<{ id_centro_custo: string | null; vencidos: number; valor_vencido: number }>(
      "pagamentos-por-centro-custo",
      { situacao: "1" },
    );
    const overdue = await list<{ erp_id: number; valor: string | null }>(
      "/v1/pagamentos-erp",
      "erp_id,valor",
      {
        situacao: "1",
        data_fim: await daysAgo(1),
      },
    );
    const largest = overdue
      .sort((a, b) => Number(b.valor) - Number(a.valor) || a.erp_id - b.erp_id)
      .slice(0, 5);
    const byCentre =
      await sql`select id_centro_custo, count(*)::int as vencidos, coalesce(sum(valor), 0)::float8 as valor_vencido
      from pagamentos_erp where situacao = 1 and data_vencimento < ${at.today} and isfinite(data_vencimento) group by 1`;
    const top = await sql`select erp_id::float8 as erp_id, valor::text from pagamentos_erp where situacao = 1
        and data_vencimento < ${at.today} and isfinite(data_vencimento) and valor is not null
      order by pagamentos_erp.valor desc, pagamentos_erp.erp_id limit 5`;
    expect(top).toHaveLength(5);
    expect(largest).toEqual(top);
    const found = rows.flatMap(({ id_centro_custo, vencidos, valor_vencido }) =>
      vencidos > 0 ? [{ id_centro_custo, vencidos, valor_vencido }] : [],
    );
    expect(new Set(found)).toEqual(new Set(byCentre));
  });

  it("measures how long the ledger entries of thirty days waited (L8, I7)", async () => {
    const entries = await list<{ synced_at: string; sent_at: string | null }>(
      "/v1/lancamentos",
      "synced_at,sent_at",
      { periodo: "30-dias" },
    );
    const waits = entries.flatMap(({ synced_at, sent_at }) =>
      sent_at === null ? [] : [Date.parse(sent_at) - Date.parse(synced_at)],
    );
    const unsent = entries.flatMap(({ synced_at, sent_at }) =>
      sent_at === null ? Date.parse(synced_at) : [],
    );
    const [row] = await sql`select count(sent_at)::int as sent, count(*)::int as all,
        (extract(epoch from avg(sent_at - synced_at)) / 60)::float8 as minutes,
        min(synced_at) filter (where sent_at is null) as oldest
      from lancamentos where synced_at >= ${at.days30} and synced_at < ${at.tomorrow}`;
    expect([waits.length, entries.length]).toEqual([row?.sent, row?.all]);
    expect(waits.reduce((sum, ms) => sum + ms, 0) / waits.length / 60_000).toBeCloseTo(row?.minutes, 1);
    expect(new Date(Math.min(...unsent))).toEqual(row?.oldest);
  });

  it("finds the catalogue products of a unit that sold nothing in a year (R6, L8)", async () => {
    const unit = { estabelecimento_id: "201" };
    const sales = await report<{ produto_id: string | null; quantidade: number; valor_total: number }>(
      "vendas-por-produto",
      { ...unit, data_inicio: await daysAgo(365), limite: "200" },
    );
    const sold = sales.flatMap((row) => (row.quantidade > 0 || row.valor_total > 0 ? row.produto_id : []));
    const catalogue = await list<{ salon_id: string; nome: string | null }>(
      "/v1/produtos",
      "salon_id,nome",
      unit,
    );
    const rows =
      await sql`select salon_id, nome from produtos as p where estabelecimento_id = '201' and not exists (
        select from vendas_produto as v where v.estabelecimento_id = '201' and produto_id = p.salon_id
          and data_hora >= ${at.days365} and forma_pagamento is distinct from 'Descontar do Profissional'
          and (quantidade > 0 or valor_total > 0))`;
    expect(rows.length).toBeLessThan(catalogue.length);
    expect(new Set(catalogue.filter(({ salon_id }) => !sold.includes(salon_id)))).toEqual(new Set(rows));
  });

  it("lists the failed runs of seven days with their errors (L8, I7)", async () => {
    const runs = await list<{ job_name: string; error: string | null }>("/v1/jobs-log", "job_name,error", {
      status: "failed",
      periodo: "7-dias",
    });
    const rows = await sql`select job_name, error from jobs_log
      where status = 'failed' and created_at >= ${at.days7} and created_at < ${at.tomorrow} order by created_at desc, id desc`;
    expect(rows.length).toBeGreaterThan(0);
    expect(runs).toEqual(rows);
  });

  it("sums the visits of last month that were paid in instalments, by unit (L8)", async () => {
    const visits = await list<{ estabelecimento_id: string; total: string; parcelas: number | null }>(
      "/v1/transacoes",
      "estabelecimento_id,total,parcelas",
      { periodo: "mes-passado" },
    );
    const inInstalments = visits.filter(({ parcelas }) => parcelas !== null && parcelas > 1);
    const sums = addUp(inInstalments.map((visit) => [visit.estabelecimento_id, visit.total]));
    const rows = await sql`select estabelecimento_id, (sum(total) * 100)::int as cents from transacoes
      where parcelas > 1 and data_hora >= ${at.lastMonth} and data_hora < ${at.month} group by 1`;
    expect(rows.length).toBeGreaterThan(0);
    expect(new Map(sums)).toEqual(new Map(rows.map((row) => [row.estabelecimento_id, row.cents])));
  });

  it("finds the professionals without a CPF or a cost centre (L8)", async () => {
    const professionals = await list<{ cpf: string | null; erp_centro_custo_id: string | null }>(
      "/v1/profissionais",
      "nome,erp_centro_custo_id,cpf",
    );
    const rows = await sql.query(`select nome, erp_centro_custo_id, cpf from profissionais
      where cpf is null or erp_centro_custo_id is null order by ${BY_NAME}, id`);
    expect(rows.length).toBeGreaterThan(0);
    expect(
      professionals.filter(({ cpf, erp_centro_custo_id }) => cpf === null || erp_centro_custo_id === null),
    ).toEqual(rows);
  });

  it("needs at most 24 calls and 120,000 characters for the twelve questions (M4)", () => {
    const sum = (of: "calls" | "characters") => spent.reduce((total, one) => total + one[of], 0);
    const report = spent.map((one) => `${one.calls} calls, ${one.characters} characters: ${one.question}`);
    console.log([...report, `${sum("calls")} calls, ${sum("characters")} characters`].join("\n"));
    expect(spent).toHaveLength(12);
    expect(sum("calls")).toBeLessThanOrEqual(MAX_CALLS);
    expect(sum("characters")).toBeLessThanOrEqual(MAX_CHARACTERS);
  });
});
