// @module-tag server
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Assistant, type Cost, startAssistant } from "../../support/worker/agents.ts";
import { sql } from "../../support/worker/api.ts";
import { removeEdgeCaseRows } from "../../support/worker/edge-case-rows.ts";
import { solveAt } from "../../support/worker/plain-answers.ts";

/**
 * Questions of a manager, answered by calls of tools alone. Plain SQL over the base tables computes the right answer.
 * An assistant pays for each call and for each character of a result.
 */
const MAX_CALLS = 20;
const MAX_CHARACTERS = 40_000;

type Id = string | null;
interface Report<Row> {
  data: Row[];
  linhas: number;
}

let assistant: Assistant;
/** The time of all questions, so that no minute passes between an answer and its SQL. */
let now: string;
/** The day of `now` in Brasília, as `frescor` names it. */
let today: string;
const spent = new Map<string, Cost>();

/** The first instant of a day in Brasília, counted from today. */
const startOf = (days: number) => `${dayFrom(days)}T00:00:00-03:00`;
const dayFrom = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
const endOf = (days: number) => `${dayFrom(days)}T23:59:59.999999-03:00`;

/** The last half of a year that began in January and has ended, or will have ended by June. */
const firstHalf = () => {
  const year = Number(today.slice(0, 4)) - (today.slice(5, 7) > "06" ? 0 : 1);
  return { data_inicio: `${year}-01-01T00:00:00-03:00`, data_fim: `${year}-06-30T23:59:59.999999-03:00` };
};

const solve = (query: string) => solveAt(now, query);

/** Amounts of money from JSON, compared in cents. */
const cents = (reais: number) => Math.round(reais * 100);

const question = (title: string, maxCalls: number, answer: () => Promise<void>) =>
  it(title, async () => {
    const before = { ...assistant.cost };
    await answer();
    const { calls, characters } = assistant.cost;
    const cost = { calls: calls - before.calls, characters: characters - before.characters };
    spent.set(title, cost);
    expect(cost.calls).toBeLessThanOrEqual(maxCalls);
  });

/** The first instant of a month in Brasília, counted from this one, and some days later. */
const startOfMonth = (months: number, days = 0) => {
  const [year, month] = today.split("-").map(Number) as [number, number];
  return `${new Date(Date.UTC(year, month - 1 + months, 1 + days)).toISOString().slice(0, 10)}T00:00:00-03:00`;
};

/** Without these rows, the demo warehouse would have no answer to some questions on some days. */
const insertRows = async () => {
  const year = firstHalf().data_inicio.slice(0, 4);
  const saturday = -1 - new Date(today).getUTCDay();
  const services = (valor: number) => [{ idProfissionalQueRealizouServico: 5001, nome: "Corte", valor }];
  const lost = { cliente_salon_id: "question", cliente_nome: "Bruna Barbosa" };
  const card = { forma_pagamento_principal: "Cartão de Crédito", data_hora: startOfMonth(0, -1) };
  const visits = [
    { data_hora: now, services: services(70) },
    // A professional took products for more than a weekday's revenue. No customer paid them.
    { data_hora: now, total: 9000, forma_pagamento_principal: "Descontar do Profissional" },
    { data_hora: startOfMonth(-1), services: services(500) },
    { data_hora: startOfMonth(-12) },
    { data_hora: startOf(saturday).replace("T00", "T10") },
    ...[2, 3, 4].map((parcelas) => ({ ...card, parcelas })),
    ...["02", "03", "04"].map((month) => ({ ...lost, data_hora: `${year}-${month}-10T12:00:00-03:00` })),
  ];
  await sql.transaction([
    sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome, forma_pagamento_principal,
        parcelas, servicos, raw_data)
      select 'question ' || row_number() over (), '101', coalesce(total, 150), data_hora, cliente_salon_id, cliente_nome, forma_pagamento_principal,
        parcelas, services, '{}'
      from jsonb_to_recordset(${JSON.stringify(visits)}::jsonb) as visit (data_hora timestamptz, total numeric, cliente_salon_id text, cliente_nome text,
        forma_pagamento_principal text, parcelas int, services jsonb)`,
    sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, profissional_id, quantidade, valor_total,
        forma_pagamento)
      values ('salao', 'question 1', '101', ${now}::timestamptz, 'P1', '5001', 1, 40, 'Pix'),
        ('salao', 'question 2', '101', ${now}::timestamptz, 'P1', '5001', 9, 9000, 'Descontar do Profissional'),
        ('loja', 'question', '201', ${startOfMonth(0, -1)}::timestamptz, 'P1', '5001', 1, 40, 'Pix')`,
    sql`insert into pagamentos_erp (erp_id, id_centro_custo, situacao, nome_conta_classificacao, valor, data_vencimento, descricao, raw_data)
      select 800000 + n, '7001', 1, 'Aluguel', 4999.99 + n * 0.01, ${today}::date + n, 'question', '{}'
      from unnest(array[0, 1, 2, 13, 14]) as n`,
    sql`insert into pagamentos_erp (erp_id, id_centro_custo, situacao, nome_conta_classificacao, valor, data_vencimento, descricao, raw_data)
      select 810000 + n, 7000 + n, 2, case n % 2 when 0 then 'Aluguel' else 'Energia elétrica' end, 1000 + n,
        date_trunc('quarter', ${today}::timestamp)::date - n, 'question', '{}' from generate_series(1, 4) as n`,
    sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
      select 'question', '101', jsonb_build_object('Pessoa', nome, 'ValorBruto', 90.5, 'DataVencimento', ${startOfMonth(0, -1)}::text), now()
      from profissionais where salon_id = '5001'`,
    sql`insert into jobs_log (queue, job_id, job_name, status, error, duration_ms, created_at)
      values ('question', 'question', 'send-pagar', 'failed', 'timeout after 30000 ms', 30000, ${now}::timestamptz)`,
  ]);
};

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  now = new Date().toISOString();
  await removeEdgeCaseRows();
  assistant = await startAssistant();
  today = (await assistant.ask<{ hoje: string }>("frescor")).hoje;
  await insertRows();
});

afterAll(async () => {
  vi.useRealTimers();
  await sql.transaction([
    sql`delete from transacoes where salon_id like 'question %'`,
    sql`delete from vendas_produto where transacao_id like 'question%'`,
    sql`delete from pagamentos_erp where descricao = 'question'`,
    sql`delete from lancamentos where salon_id = 'question'`,
    sql`delete from jobs_log where queue = 'question'`,
  ]);
});

question("finds the weekday with most revenue of each unit this year (R20)", 2, async () => {
  type Row = { estabelecimento_id: string; dia_semana: number; valor_total: number };
  const { data } = await assistant.ask<Report<Row>>("faturamento", {
    por: "unidade,dia_semana",
    medidas: "valor_total",
    periodo: "ano",
    ordem: "-valor_total",
    limite: 1100,
  });
  const best = new Map<string, unknown>();
  for (const { estabelecimento_id: unit, dia_semana, valor_total } of data)
    if (valor_total > 0 && !best.has(unit)) best.set(unit, [dia_semana, cents(valor_total)]);
  const rows = await solve(`, revenue as (
      select estabelecimento_id, at, total as amount from visits
      union all
      select estabelecimento_id, at, case origem when 'salao' then case when is_taken then -amount else 0 end else case when is_taken then 0 else amount end end from lines
    )
    select distinct on (estabelecimento_id) estabelecimento_id, weekday, cents from (
      select estabelecimento_id, extract(isodow from at)::int as weekday, (sum(amount) * 100)::float8 as cents
      from revenue, clock where at >= this_year and at < tomorrow group by 1, 2) as days
    where cents > 0 order by estabelecimento_id, cents desc, weekday`);
  expect(rows.length).toBeGreaterThan(5);
  expect(best).toEqual(new Map(rows.map((row) => [row.estabelecimento_id, [row.weekday, row.cents]])));
});

question("finds the professionals whose production fell by more than 20 % (R23)", 2, async () => {
  interface Row {
    profissional_salon_id: Id;
    valor_total: number;
    anterior: { valor_total: number };
  }
  const { data, linhas } = await assistant.ask<Report<Row>>("servicos", {
    por: "profissional",
    medidas: "valor_total",
    periodo: "mes",
    comparar: "mes-anterior",
    ordem: "variacao",
  });
  expect(data).toHaveLength(linhas);
  const fallen = data.filter((row) => row.valor_total < 0.8 * row.anterior.valor_total);
  const rows = await solve(`select * from (
      select professional, coalesce(sum(amount) filter (where at >= this_month), 0)::float8 as now,
        coalesce(sum(amount) filter (where at < this_month), 0)::float8 as before
      from services, clock
      where (at >= this_month and at < tomorrow) or (at >= last_month and at <= minute - interval '1 month')
      group by 1) as sums
    where now < 0.8 * before`);
  expect(rows.length).toBeGreaterThan(0);
  expect(
    new Map(fallen.map((row) => [row.profissional_salon_id, [row.valor_total, row.anterior.valor_total]])),
  ).toEqual(new Map(rows.map((row) => [row.professional, [row.now, row.before]])));
});

question("sums what was paid by credit card in three or more instalments last month (R21)", 2, async () => {
  type Row = { forma_pagamento: Id; visitas: number; valor_total: number };
  const { data } = await assistant.ask<Report<Row>>("visitas", {
    por: "forma_pagamento",
    medidas: "visitas,valor_total",
    periodo: "mes-passado",
    parcelas_min: 3,
  });
  const rows =
    await solve(`select forma_pagamento_principal as forma_pagamento, count(*)::int as visitas, sum(total)::float8 as valor_total
    from visits, clock where at >= last_month and at < this_month and parcelas >= 3 and forma_pagamento_principal ilike '%crédito%'
    group by 1`);
  expect(rows.length).toBeGreaterThan(0);
  const credit = data.filter((row) => /crédito/i.test(row.forma_pagamento ?? ""));
  expect(new Set(credit)).toEqual(new Set(rows));
});

question("lists the ten clients who spent most this year, and their last visit (R20)", 2, async () => {
  interface Row {
    cliente_salon_id: Id;
    cliente_nome: Id;
    valor_total: number;
    ultima_visita: string;
  }
  const { data } = await assistant.ask<Report<Row>>("visitas", {
    por: "cliente",
    medidas: "valor_total,ultima_visita",
    periodo: "ano",
    limite: 11, // One row may be the visits without a client.
  });
  const clients = data.filter((row) => row.cliente_salon_id !== null).slice(0, 10);
  const rows =
    await solve(`select left(cliente_salon_id, 200) as id, sum(total)::float8 as total, max(data_hora) as last
    from visits, clock where at >= this_year and at < tomorrow and cliente_salon_id is not null
    group by 1 order by sum(total) desc, 1 limit 10`);
  expect(rows).toHaveLength(10);
  expect(clients.map((row) => [row.cliente_salon_id, row.valor_total, new Date(row.ultima_visita)])).toEqual(
    rows.map(({ id, total, last }) => [id, total, last]),
  );
});

question(
  "lists the clients with three visits in the first half who have not come for 60 days (R21)",
  2,
  async () => {
    const { data, linhas } = await assistant.ask<Report<{ cliente_salon_id: Id; visitas: number }>>(
      "visitas",
      {
        por: "cliente",
        medidas: "visitas",
        ...firstHalf(),
        visitas_min: 3,
        sem_visita_desde: startOf(-60),
      },
    );
    expect(data).toHaveLength(linhas);
    const { data_inicio, data_fim } = firstHalf();
    const rows =
      await sql`select cliente_salon_id as id, count(*) filter (where data_hora between ${data_inicio} and ${data_fim})::int as visits
    from transacoes where cliente_salon_id is not null group by 1
    having count(*) filter (where data_hora between ${data_inicio} and ${data_fim}) >= 3 and max(data_hora) < ${startOf(-60)}`;
    expect(rows.length).toBeGreaterThan(0);
    expect(new Map(data.map((row) => [row.cliente_salon_id, row.visitas]))).toEqual(
      new Map(rows.map(({ id, visits }) => [id, visits])),
    );
  },
);

question("compares the average ticket of each unit with the same month last year (R23)", 2, async () => {
  interface Row {
    estabelecimento_id: string;
    ticket_medio: number | null;
    anterior: { ticket_medio: number | null };
  }
  const { data } = await assistant.ask<Report<Row>>("faturamento", {
    por: "unidade",
    medidas: "ticket_medio",
    periodo: "mes",
    comparar: "ano-anterior",
  });
  const rows = await solve(`, amounts as (
      select estabelecimento_id, at, total as amount, 1 as visits from visits
      union all
      select estabelecimento_id, at, -amount, 0 from lines where origem = 'salao' and is_taken
    ), sides as (
      select estabelecimento_id, at >= this_month as is_now, round(sum(amount) / nullif(sum(visits), 0), 2)::float8 as ticket
      from amounts, clock
      where (at >= this_month and at < tomorrow) or (at >= this_month - interval '1 year' and at <= minute - interval '1 year')
      group by 1, 2
    )
    select estabelecimento_id, max(ticket) filter (where is_now) as now, max(ticket) filter (where not is_now) as before
    from sides group by 1 having max(ticket) is not null`);
  const tickets = data.flatMap((row): [string, unknown][] =>
    row.ticket_medio === null && row.anterior.ticket_medio === null
      ? []
      : [[row.estabelecimento_id, [row.ticket_medio, row.anterior.ticket_medio]]],
  );
  expect(rows.some((row) => row.now !== null && row.before !== null)).toBe(true);
  expect(new Map(tickets)).toEqual(
    new Map(rows.map((row) => [row.estabelecimento_id, [row.now, row.before]])),
  );
});

question("finds the products of a unit's catalogue not sold for 90 days (R20, L8)", 3, async () => {
  const unit = { estabelecimento_id: "201" };
  assistant.assertNamed("salon_id");
  const catalogue = await assistant.ask<{
    data: { salon_id: string }[];
    pagination: { total_pages: number };
  }>("listProdutos", { ...unit, campos: "salon_id", per_page: 200 });
  expect(catalogue.pagination.total_pages).toBe(1);
  const sold = await assistant.ask<Report<{ produto_id: Id; quantidade: number; valor_total: number }>>(
    "vendas",
    { ...unit, por: "produto", medidas: "quantidade,valor_total", periodo: "90-dias", limite: 1100 },
  );
  const ids = sold.data.flatMap((row) => (row.quantidade > 0 || row.valor_total > 0 ? row.produto_id : []));
  const unsold = catalogue.data.map(({ salon_id }) => salon_id).filter((id) => !ids.includes(id));
  const rows =
    await solve(`select salon_id from produtos as p where estabelecimento_id = '201' and not exists (
    select from lines, clock where lines.estabelecimento_id = '201' and produto_id = p.salon_id and not is_taken
      and at >= tomorrow - interval '90 days' and at < tomorrow and (quantidade > 0 or amount > 0))`);
  expect(rows.length).toBeLessThan(catalogue.data.length);
  expect(new Set(unsold)).toEqual(new Set(rows.map((row) => row.salon_id)));
});

question("sums the payments above R$ 5,000 due in the next 14 days, by cost centre (R21)", 3, async () => {
  type Row = { id_centro_custo: Id; pagamentos: number; valor_total: number };
  const { data } = await assistant.ask<Report<Row>>("pagamentos", {
    por: "centro_custo",
    medidas: "pagamentos,valor_total",
    situacao: 1,
    valor_min: "5000.01", // Above, and not from.
    data_inicio: startOf(0),
    data_fim: endOf(13),
  });
  const rows =
    await sql`select id_centro_custo, count(*)::int as pagamentos, sum(valor)::float8 as valor_total
    from pagamentos_erp where situacao = 1 and valor > 5000 and valor < 1e15
      and data_vencimento between ${today}::date and ${today}::date + 13 group by 1`;
  expect(rows.length).toBeGreaterThan(0);
  expect(
    new Set(
      data.map(({ id_centro_custo, pagamentos, valor_total }) => ({
        id_centro_custo,
        pagamentos,
        valor_total,
      })),
    ),
  ).toEqual(new Set(rows));
});

question("computes each unit's share of visits with a product this quarter (R20)", 3, async () => {
  const visits = await assistant.ask<Report<{ estabelecimento_id: string; visitas: number }>>("visitas", {
    por: "unidade",
    medidas: "visitas",
    periodo: "trimestre",
  });
  const sales = await assistant.ask<Report<{ estabelecimento_id: string; transacoes: number }>>("vendas", {
    por: "unidade",
    medidas: "transacoes",
    periodo: "trimestre",
    origem: "salao",
  });
  const withProduct = new Map(sales.data.map((row) => [row.estabelecimento_id, row.transacoes]));
  const rows =
    await solve(`select estabelecimento_id, count(*)::int as visits, count(*) filter (where exists (
      select from lines where origem = 'salao' and transacao_id = visits.salon_id))::int as with_product
    from visits, clock where at >= this_quarter and at < tomorrow group by 1`);
  expect(rows.some((row) => row.with_product > 0)).toBe(true);
  const shares = visits.data.map(({ estabelecimento_id: unit, visitas }) => [
    unit,
    (withProduct.get(unit) ?? 0) / visitas,
  ]);
  expect(new Set(shares)).toEqual(
    new Set(rows.map((row) => [row.estabelecimento_id, row.with_product / row.visits])),
  );
});

question("counts the visits not sent to the ERP by day (R20)", 2, async () => {
  // With a second dimension, days without such visits have no row.
  const { data, linhas } = await assistant.ask<Report<{ dia: string; visitas: number }>>("visitas", {
    por: "dia,enviada",
    medidas: "visitas",
    sent_to_erp: false,
    limite: 1100,
  });
  expect(data).toHaveLength(linhas);
  const rows = await solve(`select to_char(at, 'YYYY-MM-DD') as dia, count(*)::int as visitas from visits
    where not sent_to_erp group by 1 order by 1`);
  expect(rows.length).toBeGreaterThan(1);
  expect(data.map(({ dia, visitas }) => ({ dia, visitas }))).toEqual(rows);
});

question("lists the failed jobs of this week (I7, L8)", 2, async () => {
  const { data, pagination } = await assistant.ask<{ data: unknown[]; pagination: { total: number } }>(
    "listJobsLog",
    { status: "failed", periodo: "semana", campos: "job_name,error", per_page: 200 },
  );
  expect(data).toHaveLength(pagination.total);
  const rows = await solve(`select job_name, error from jobs_log, clock
    where status = 'failed' and created_at >= this_week at time zone 'America/Sao_Paulo' and created_at < tomorrow at time zone 'America/Sao_Paulo'
    order by created_at desc, jobs_log.id desc`);
  expect(rows.length).toBeGreaterThan(0);
  expect(data).toEqual(rows);
});

question("sums rent and energy of each unit in three months (R20)", 2, async () => {
  interface Row {
    nome_conta_classificacao: Id;
    id_centro_custo: Id;
    unidade_nome: Id;
    valor_total: number;
  }
  const { data, linhas } = await assistant.ask<Report<Row>>("pagamentos", {
    por: "conta,centro_custo",
    medidas: "valor_total",
    periodo: "trimestre-passado",
  });
  expect(data).toHaveLength(linhas);
  const rows = await solve(`select nome_conta_classificacao, id_centro_custo,
      (select nome from estabelecimentos where erp_centro_custo_id::text = id_centro_custo order by id limit 1) as unidade_nome,
      coalesce(sum(valor) filter (where valor between -1e15 and 1e15), 0)::float8 as valor_total
    from pagamentos_erp, clock
    where data_vencimento >= last_quarter and data_vencimento < this_quarter
      and (nome_conta_classificacao ilike '%aluguel%' or nome_conta_classificacao ilike '%energia%')
    group by 1, 2`);
  expect(rows.length).toBeGreaterThan(3);
  expect(new Set(data.filter((row) => /aluguel|energia/i.test(row.nome_conta_classificacao ?? "")))).toEqual(
    new Set(rows),
  );
});

question("finds the emptiest hours of Saturday, from 9 to 19, of each unit (R22)", 2, async () => {
  type Row = { estabelecimento_id: string; hora: number; visitas: number };
  const { data, linhas } = await assistant.ask<Report<Row>>("visitas", {
    por: "unidade,hora",
    medidas: "visitas",
    dia_semana: 6,
    hora_min: 9,
    hora_max: 18,
    periodo: "90-dias",
    limite: 1100,
  });
  expect(data).toHaveLength(linhas);
  const byUnit = Map.groupBy(data, (row) => row.estabelecimento_id);
  const emptiest = [...byUnit].map(([unit, hours]) => {
    const least = Math.min(...hours.map(({ visitas }) => visitas));
    return [unit, hours.filter(({ visitas }) => visitas === least).map(({ hora }) => hora)];
  });
  const rows = await solve(`, saturdays as (
      select estabelecimento_id, extract(hour from at)::int as hour from visits, clock
      where at >= tomorrow - interval '90 days' and at < tomorrow and extract(isodow from at) = 6 and extract(hour from at) between 9 and 18
    ), hours as (
      select estabelecimento_id, n as hour, (select count(*) from saturdays as s where (s.estabelecimento_id, s.hour) = (u.estabelecimento_id, n)) as visits
      from (select distinct estabelecimento_id from saturdays) as u,
        generate_series((select min(hour) from saturdays), (select max(hour) from saturdays)) as n
    )
    select estabelecimento_id, json_agg(hour order by hour) as emptiest from hours as h
    where visits = (select min(visits) from hours where estabelecimento_id = h.estabelecimento_id) group by 1`);
  expect(rows.length).toBeGreaterThan(0);
  expect(new Map(emptiest as [string, number[]][])).toEqual(
    new Map(rows.map((row) => [row.estabelecimento_id, row.emptiest])),
  );
});

/** A ledger entry names a person and no id, so professionals of one name are one person. */
question("computes revenue less commissions of each professional last month (R20)", 3, async () => {
  const byProfessional = {
    por: "profissional",
    medidas: "valor_total",
    periodo: "mes-passado",
    limite: 1100,
  };
  type Revenue = Report<{ profissional: Id; valor_total: number }>;
  const services = await assistant.ask<Revenue>("servicos", byProfessional);
  const products = await assistant.ask<Revenue>("vendas", byProfessional);
  const commissions = await assistant.ask<Report<{ pessoa: Id; valor_total: number }>>("lancamentos", {
    ...byProfessional,
    por: "pessoa",
  });
  const rest = new Map<string, number>();
  const add = (name: Id, reais: number) => {
    if (name !== null) rest.set(name, (rest.get(name) ?? 0) + cents(reais));
  };
  for (const row of [...services.data, ...products.data]) add(row.profissional, row.valor_total);
  for (const row of commissions.data) if (rest.has(row.pessoa ?? "")) add(row.pessoa, -row.valor_total);
  const rows = await solve(`, names as (
      select distinct on (salon_id) salon_id, nome from profissionais order by salon_id, ativo desc, id
    ), revenue as (
      select nome, sum(amount) as amount from (
        select professional, amount from services, clock where at >= last_month and at < this_month
        union all
        select profissional_id, case when is_taken then 0 else amount end from lines, clock where at >= last_month and at < this_month) as sold
      join names on salon_id = professional group by 1
    ), commissions as (
      select raw_data ->> 'Pessoa' as person, sum((raw_data -> 'ValorBruto')::numeric) as amount from lancamentos, clock
      where left(raw_data ->> 'DataVencimento', 10) between to_char(last_month, 'YYYY-MM-DD') and to_char(this_month - interval '1 day', 'YYYY-MM-DD') group by 1
    )
    select nome, ((revenue.amount - coalesce(commissions.amount, 0)) * 100)::float8 as cents
    from revenue left join commissions on person = nome where nome is not null`);
  expect(rows.length).toBeGreaterThan(1);
  expect(rest).toEqual(new Map(rows.map((row) => [row.nome, row.cents])));
});

it("answers the fourteen questions in 20 calls and 40,000 characters (M2, M4)", () => {
  const { calls, characters } = assistant.cost;
  const lines = [...spent].map(
    ([title, cost]) => `${cost.calls} calls, ${cost.characters} characters: ${title}`,
  );
  console.log([...lines, `${calls} calls, ${characters} characters`].join("\n"));
  expect(spent.size).toBe(14);
  expect(calls).toBeLessThanOrEqual(MAX_CALLS);
  expect(characters).toBeLessThanOrEqual(MAX_CHARACTERS);
});
