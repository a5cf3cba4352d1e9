import type pg from "pg";

const ZONE = "'America/Sao_Paulo'";

/**
 * The ranges of a summary at `$1`, as plain SQL: both ends are inclusive. Comparisons end when the data
 * does, moved back on the clock of Brasília. Postgres takes the second of two instants with one local time.
 */
const RANGES = `
  runs as (
    select * from jobs_log
    where job_name = 'sync-transacoes' and status = 'completed' and created_at <= $1::timestamptz
    order by created_at desc, id desc
    limit 20
  ),
  reached as (
    select date_trunc('minute', coalesce(max(coalesce(
      (
        select max(started.created_at)
        from jobs_log as started
        where started.job_name = 'sync-transacoes' and started.status = 'started'
          and started.job_id = runs.job_id and started.created_at <= runs.created_at
          and started.created_at >= runs.created_at - interval '24 hours'
      ),
      runs.created_at - coalesce(runs.duration_ms, 0) * interval '1 millisecond'
    )), $1::timestamptz)) as ate
    from runs
  ),
  -- The first instant of a day moves to the first of a day, also if clocks skipped its midnight (R23).
  moved as (
    select ate, case when (ate at time zone ${ZONE})::date::timestamp at time zone ${ZONE} = ate
      then (ate at time zone ${ZONE})::date else ate at time zone ${ZONE} end as local
    from reached
  ),
  local_time as (
    select date_trunc('minute', $1::timestamptz) at time zone ${ZONE} as cut,
      ($1::timestamptz at time zone ${ZONE})::date as today
  ),
  day_range as (
    select today::timestamp at time zone ${ZONE} as first,
      (today + 1)::timestamp at time zone ${ZONE} - interval '1 microsecond' as last
    from local_time
  ),
  earlier_day as (
    select (today - 7)::timestamp at time zone ${ZONE} as first,
      case when ate <= day_range.first
        then (today - 7)::timestamp at time zone ${ZONE} - interval '1 microsecond'
        else (local - interval '7 days') at time zone ${ZONE} end as last
    from local_time, moved, day_range
  ),
  month_range as (
    select date_trunc('month', cut) at time zone ${ZONE} as first, day_range.last
    from local_time, day_range
  ),
  earlier_month as (
    select (date_trunc('month', cut) - interval '1 month') at time zone ${ZONE} as first,
      case when ate <= month_range.first
        then (date_trunc('month', cut) - interval '1 month') at time zone ${ZONE} - interval '1 microsecond'
        else (local - interval '1 month') at time zone ${ZONE} end as last
    from local_time, moved, month_range
  )`;

const REVENUE = `
  revenue as (
    select estabelecimento_id, data_hora as at, total as value, total as salon, 1 as visits
    from transacoes
    union all
    select estabelecimento_id, data_hora,
      case when valor_total = 'NaN' then 0
        when origem = 'loja' and forma_pagamento is distinct from 'Descontar do Profissional' then valor_total
        when origem = 'salao' and forma_pagamento = 'Descontar do Profissional' then -valor_total
        else 0 end,
      case when valor_total <> 'NaN' and origem = 'salao' and forma_pagamento = 'Descontar do Profissional'
        then -valor_total else 0 end,
      0
    from vendas_produto
    where data_hora is not null
  )`;

const sumsOf = (range: string) => `
  select round(coalesce(sum(value), 0), 2) as valor_total, coalesce(sum(visits), 0)::int as visitas,
    round(sum(salon) / nullif(sum(visits), 0), 2) as ticket_medio
  from revenue, ${range}
  where at between first and last`;

type Row = Record<string, unknown>;
const NUMBERS = /^(valor|ticket_medio|meta|anterior_valor)/;

/** Amounts as numbers, as the answers have them. */
const asNumbers = (row: Row | undefined): Row =>
  Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [
      name,
      NUMBERS.test(name) && value !== null ? Number(value) : value,
    ]),
  );

/** The figures of a summary at a time, without `em`. @param at epoch ms */
export const expectedFigures = async (db: pg.Client, at: number) => {
  const time = new Date(at).toISOString();
  const all = async (query: string): Promise<Row[]> => {
    const isTimed = query.includes("$1");
    const { rows } = await db.query(query, isTimed ? [time] : []);
    return rows.map(asNumbers);
  };
  const one = async (query: string): Promise<Row> => (await all(query))[0] ?? {};
  const single = (row: Row) => ({ data: [row], linhas: 1, totais: row });
  const ends = (range: string) =>
    one(`with ${RANGES}
      select to_json(first at time zone 'UTC')#>>'{}' || '+00:00' as inicio,
        to_json(greatest(first, last) at time zone 'UTC')#>>'{}' || '+00:00' as fim,
        to_json(ate at time zone 'UTC')#>>'{}' || '+00:00' as ate
      from ${range}, reached`);
  const compared = async (range: string, earlier: string) => {
    const [now, anterior] = [
      await one(`with ${RANGES}, ${REVENUE} ${sumsOf(range)}`),
      await one(`with ${RANGES}, ${REVENUE} ${sumsOf(earlier)}`),
    ];
    return { ...single({ ...now, anterior }), anterior: await ends(earlier) };
  };
  const mes = await compared("month_range", "earlier_month");
  const goals = await all(`with ${RANGES}, ${REVENUE},
    unit_now as (
      select estabelecimento_id, round(sum(value), 2) as valor from revenue, month_range
      where at between first and last group by 1
    ),
    goal as (
      select estabelecimento_id, valor as meta from metas, local_time where mes = date_trunc('month', cut)
    )
    select (select date_trunc('month', cut)::date::text from local_time) as mes, estabelecimento_id,
      (select nome from estabelecimentos where salon_id = estabelecimento_id order by id limit 1) as unidade_nome,
      coalesce(unit_now.valor, 0) as valor_total, meta,
      case when meta is null then 0 else coalesce(unit_now.valor, 0) end as valor_com_meta
    from unit_now full join goal using (estabelecimento_id)
    order by estabelecimento_id`);
  const goal = await one(`with ${RANGES}, ${REVENUE},
    goal as (select * from metas, local_time where mes = date_trunc('month', cut))
    select (select sum(valor) from goal) as meta, round(coalesce(sum(value), 0), 2) as valor_com_meta
    from revenue, month_range
    where at between first and last and estabelecimento_id in (select estabelecimento_id from goal)`);
  const units = await all(`with ${RANGES}, ${REVENUE},
    unit_now as (
      select estabelecimento_id, round(sum(value), 2) as valor from revenue, month_range
      where at between first and last group by 1
    ),
    unit_before as (
      select estabelecimento_id, round(sum(value), 2) as valor from revenue, earlier_month
      where at between first and last group by 1
    )
    select estabelecimento_id,
      (select nome from estabelecimentos where salon_id = estabelecimento_id order by id limit 1) as unidade_nome,
      coalesce(unit_now.valor, 0) as valor_total, coalesce(unit_before.valor, 0) as anterior_valor
    from unit_now full join unit_before using (estabelecimento_id)
    order by coalesce(unit_now.valor, 0) - coalesce(unit_before.valor, 0), estabelecimento_id`);
  const { valor_total, anterior: monthBefore } = mes.totais as Row & { anterior: Row };
  const total = { valor_total, anterior: { valor_total: monthBefore.valor_total } };
  const finite = (column: string) => `coalesce(sum(nullif(${column}, 'NaN')), 0)`;
  const newest = (value: string, condition = "true") =>
    `(select to_json(${value})#>>'{}' from jobs_log where job_name = job and ${condition}
      order by created_at desc, id desc limit 1)`;
  const jobs = await all(`
    select job as job_name, ${newest("created_at", "status = 'completed'")} as ultimo_sucesso,
      ${newest("created_at", "status = 'failed'")} as ultima_falha,
      ${newest("case when status = 'started' then created_at end")} as em_andamento_desde
    from unnest(array['sync-transacoes', 'send-receber', 'send-pagar']) with ordinality as jobs(job, n)
    order by n`);
  return {
    hoje: await compared("day_range", "earlier_day"),
    mes,
    meta: {
      data: goals,
      linhas: goals.length,
      totais: { valor_total, ...goal },
    },
    unidades: {
      data: units
        .slice(0, 3)
        .map(({ anterior_valor, ...unit }) => ({ ...unit, anterior: { valor_total: anterior_valor } })),
      linhas: units.length,
      totais: total,
      anterior: await ends("earlier_month"),
    },
    vencidos: single(
      await one(`with ${RANGES}
        select count(*)::int as vencidos, ${finite("valor")} as valor_vencido from pagamentos_erp, local_time
        where situacao = 1 and data_vencimento > '-infinity' and data_vencimento < today`),
    ),
    a_vencer: single(
      await one(`with ${RANGES}
        select count(*)::int as pagamentos, ${finite("valor")} as valor_total from pagamentos_erp, local_time
        where situacao = 1 and data_vencimento between today and today + 6`),
    ),
    nao_enviados: single(
      await one(`select count(*)::int as pendentes, coalesce(sum(total), 0) as valor_pendente
        from transacoes where not sent_to_erp`),
    ),
    lancamentos_nao_enviados: single(
      await one(`select count(*)::int as pendentes,
          round(coalesce(sum(case when jsonb_typeof(raw_data -> 'ValorBruto') = 'number'
            then (raw_data ->> 'ValorBruto')::numeric end), 0), 2) as valor_pendente
        from lancamentos where not sent_to_salon`),
    ),
    frescor: {
      data: jobs,
      catalogo: await all(`select estabelecimento_id, to_json(max(synced_at))#>>'{}' as synced_at
        from produtos group by 1 order by 1`),
    },
  };
};

let added = 0;

/** Adds rows at and beside every end of the ranges of a summary, and its goals. @param at epoch ms */
export const insertRowsNear = async (db: pg.Client, at: number): Promise<void> => {
  const time = new Date(at).toISOString();
  const moments = `with ${RANGES}
    select bound + beside as at, row_number() over () as n
    from (values (interval '-1 microsecond'), (interval '0'), (interval '1 microsecond'), (interval '1 minute')) as t(beside),
      lateral (
        select first as bound from day_range union all select last from day_range
        union all select first from earlier_day union all select last from earlier_day
        union all select first from month_range
        union all select first from earlier_month union all select last from earlier_month
        union all select $1::timestamptz
      ) as bounds`;
  added += 1;
  const unit = "(array['101', '102', '201', '103', ''])[1 + (n % 5)]";
  // Each row has another amount, so that no two wrong sums are equal.
  const amount = `(n * 7.31 + ${added})::numeric(14,2)`;
  await db.query(
    `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data, sent_to_erp)
      select 'near ${added} ' || n, ${unit}, ${amount}, at, '{}', n % 3 > 0 from (${moments}) as moments`,
    [time],
  );
  await db.query(
    `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, valor_total, forma_pagamento)
      select (array['salao', 'loja'])[1 + n % 2], n::text, ${unit}, at, ${amount},
        (array['Pix', 'Descontar do Profissional', null])[1 + n % 3]
      from (${moments}) as moments`,
    [time],
  );
  await db.query(
    `insert into pagamentos_erp (erp_id, situacao, valor, data_vencimento, raw_data)
      select ${added} * 1000 + days + 100, 1 + (days + 100) % 2, days * 1.37 + ${added}, today + days, '{}'
      from (with ${RANGES} select today from local_time) as day, generate_series(-3, 9) as days`,
    [time],
  );
  await db.query(
    `insert into metas (estabelecimento_id, mes, valor)
      select unit, date_trunc('month', cut)::date, 1000 + ${added}
      from (with ${RANGES} select cut from local_time) as time, unnest(array['101', '201']) as unit
      on conflict do nothing`,
    [time],
  );
};
