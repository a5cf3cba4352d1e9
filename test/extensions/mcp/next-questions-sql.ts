import { plainSql } from "../../support/plain-tables.ts";

/** A question of a manager, with plain SQL over the base tables that gives the right answer. */
export interface NextQuestion {
  name: string;
  /** What the question means, with its dates. Rows are in the order of the answer. */
  definition: string;
  /** Follows the tables of `plainSql`. Columns are named as in the reports. */
  sql: string;
}

/** How far the data reaches (R23), in the local time of Brasília. */
const REACHED = `reached as (
  select date_trunc('minute', coalesce(max(started) at time zone 'America/Sao_Paulo', min(now_))) as at
  from clock
  left join (
    select coalesce(
      (
        select max(start.created_at)
        from jobs_log as start
        where start.job_name = 'sync-transacoes' and start.status = 'started' and start.job_id = run.job_id
          and start.created_at between run.created_at - interval '1 day' and run.created_at
      ),
      run.created_at - greatest(coalesce(run.duration_ms, 0), 0) * interval '1 millisecond'
    ) as started
    from (
      select jobs_log.*
      from jobs_log, clock
      where job_name = 'sync-transacoes' and status = 'completed'
        and isfinite(created_at) and created_at <= now_ at time zone 'America/Sao_Paulo'
      order by created_at desc, jobs_log.id desc
      limit 20
    ) as run
  ) as runs on true
)`;

/** What customers paid (R20): visits without what professionals took in salons, and sales of stores. */
const REVENUE = `revenue as (
  select estabelecimento_id, 'salao' as origem, at, total as amount, 1 as visits
  from visits
  union all
  select estabelecimento_id, origem, at,
    case when origem = 'salao' then case when is_taken then -amount else 0 end
      else case when is_taken then 0 else amount end end, 0
  from lines
)`;

/** Payments with their amount and unit (R27). The units that a cost centre leads to are `led`. */
const BILLS = `centres as (
  select centre, case when owner.id is not null then owner.salon_id when people.units = 1 then people.unit end as unit
  from (
    select erp_centro_custo_id::text as centre from estabelecimentos
    union
    select erp_centro_custo_id from profissionais
  ) as known
  left join lateral (
    select id, salon_id
    from estabelecimentos
    where erp_centro_custo_id::text = centre
    order by id
    limit 1
  ) as owner on true
  cross join lateral (
    select count(distinct salon_estabelecimento_id) as units, min(salon_estabelecimento_id) as unit
    from profissionais
    where erp_centro_custo_id = centre
  ) as people
  where centre is not null
), led as (
  select distinct unit from centres where unit is not null
), bills as (
  select data_vencimento as due, situacao, id_centro_custo, nome_conta_classificacao, unit,
    case when valor between -1e15 and 1e15 then valor else 0 end as amount
  from pagamentos_erp
  left join centres on centre = id_centro_custo
)`;

/** Visits with a client: whether each is the client's first, and whether it is decided and returned (R26). */
const returnsWithin = (days: number) => `returns as (
  select *, rank = 1 as is_first, at::date + ${days} < reached_day as is_decided,
    coalesce(next_day <= at::date + ${days}, false) as has_returned
  from (
    select visits.*, reached.at::date as reached_day,
      row_number() over (partition by cliente_salon_id order by visits.at, visits.id) as rank,
      min(visits.at::date) over (partition by cliente_salon_id order by visits.at::date
        groups between 1 following and 1 following) as next_day
    from visits, reached
    where cliente_salon_id is not null
  ) as visit
)`;

const RETURNED = `count(*) filter (where is_decided)::int as decididas,
    count(*) filter (where is_decided and has_returned)::int as voltaram,
    (round(avg(has_returned::int) filter (where is_decided), 4))::float8 as retorno`;

/** Clients with visits in five of the six months before last month, and none since. With their newest unit (R25). */
const LOST = `lost as (
  select cliente_salon_id, (array_agg(estabelecimento_id order by at desc, visits.id desc))[1] as estabelecimento_id,
    sum(total) as spent
  from visits, clock
  where cliente_salon_id is not null and at >= last_month - interval '6 months' and at < last_month
  group by cliente_salon_id
  having count(distinct date_trunc('month', at)) >= 5
    and cliente_salon_id not in (
      select cliente_salon_id
      from visits, clock
      where at >= last_month and cliente_salon_id is not null
    )
)`;

export const NEXT_QUESTIONS: NextQuestion[] = [
  {
    name: "which unit lost most regulars",
    definition:
      "Clients with visits in at least five of the six months before last month, and none since the start of last " +
      "month, by the unit of their newest visit of these six months.",
    sql: `, ${LOST}
      select estabelecimento_id, count(*)::int as clientes
      from lost
      group by 1
      order by 2 desc, 1`,
  },
  {
    name: "how many reais of fees each payment method cost",
    definition: "Total of the visits of this year × the fee of the payment method, 0 without a fee.",
    sql: `select forma_pagamento_principal as forma_pagamento,
        round(sum(total * coalesce(taxa_cobrada_profissional, 0)), 2)::float8 as taxas
      from clock, visits
      left join taxas_cartao on forma_pagamento = forma_pagamento_principal
      where at >= this_year and at < tomorrow
      group by 1
      order by 2 desc, 1`,
  },
  {
    name: "whose clients come back most often",
    definition:
      "By professional: of the visits with a service of the professional since the first day of this month a year ago " +
      "whose 60 days are over, the share whose client came again within them.",
    sql: `, ${REACHED}, ${returnsWithin(60)}
      select profissional_salon_id, ${RETURNED}
      from (
        select distinct returns.*, nullif(service ->> 'idProfissionalQueRealizouServico', '') as profissional_salon_id
        from clock, returns
        cross join jsonb_array_elements(case jsonb_typeof(servicos) when 'array' then servicos else '[]' end) as service
        where at >= this_month - interval '1 year' and at < tomorrow and jsonb_typeof(service) = 'object'
      ) as served
      group by 1
      order by retorno desc nulls last, 1`,
  },
  {
    name: "what share of revenue the three largest accounts are, by month",
    definition:
      "Payments of the three accounts with the highest sum in last quarter, by month of the due date, and the " +
      "revenue of the month.",
    sql: `, ${REVENUE}, ${BILLS}, of_quarter as (
        select date_trunc('month', due)::date as month, nome_conta_classificacao, sum(amount) as amount
        from bills, clock
        where due >= last_quarter and due < this_quarter
        group by 1, 2
      ), largest as (
        select nome_conta_classificacao
        from of_quarter
        where nome_conta_classificacao is not null
        group by 1
        order by sum(amount) desc, 1
        limit 3
      ), earned as (
        select date_trunc('month', at)::date as month, sum(amount) as amount
        from revenue, clock
        where at >= last_quarter and at < this_quarter
        group by 1
      )
      select to_char(month, 'YYYY-MM-DD') as mes, nome_conta_classificacao, of_quarter.amount::float8 as valor_total,
        earned.amount::float8 as faturamento, round(of_quarter.amount / nullif(earned.amount, 0), 4)::float8 as share
      from of_quarter
      join largest using (nome_conta_classificacao)
      left join earned using (month)
      order by 1, 3 desc, 2`,
  },
  {
    name: "what professionals take against what customers buy",
    definition: "Product lines of this year: those taken by professionals, and those sold to customers.",
    sql: `select coalesce(sum(amount) filter (where not is_taken), 0)::float8 as valor_total,
        coalesce(sum(amount) filter (where is_taken), 0)::float8 as valor_profissional
      from lines, clock
      where at >= this_year and at < tomorrow`,
  },
  {
    name: "from which dates visits did not reach the ERP",
    definition: "The days of the last thirty with visits that were not sent to the ERP.",
    sql: `select to_char(at, 'YYYY-MM-DD') as dia, count(*)::int as visitas, sum(total)::float8 as valor_total
      from visits, clock
      where not sent_to_erp and at >= tomorrow - interval '30 days' and at < tomorrow
      group by 1
      order by 1`,
  },
  {
    name: "how the first half of this month compares with last year, for stores alone",
    definition:
      "Revenue of stores from the 1st to the 15th of this month, and of the same days a year before, there only as " +
      "far as the data reaches.",
    sql: `, ${REACHED}, ${REVENUE}
      select coalesce(sum(amount) filter (where revenue.at >= this_month), 0)::float8 as valor_total,
        coalesce(sum(amount) filter (where revenue.at < this_month), 0)::float8 as anterior
      from revenue, clock, reached
      where origem = 'loja' and (
        (revenue.at >= this_month and revenue.at < this_month + interval '15 days')
        or (revenue.at >= this_month - interval '1 year'
          and revenue.at < least(this_month + interval '15 days', reached.at) - interval '1 year')
      )`,
  },
  {
    name: "on which day and in which unit the ticket was highest this quarter",
    definition: "Revenue of salons / visits, by day and unit of this quarter. The highest is the answer.",
    sql: `, ${REVENUE}
      select to_char(at, 'YYYY-MM-DD') as dia, estabelecimento_id,
        round(sum(amount) / sum(visits), 2)::float8 as ticket_medio
      from revenue, clock
      where origem = 'salao' and at >= this_quarter and at < tomorrow
      group by 1, 2
      having sum(visits) > 0
      order by 3 desc, 1, 2`,
  },
  {
    name: "what each unit has to pay on the next payday",
    definition:
      "Payments due on the next 5th of a month (today, if it is one), by the unit of their cost centre. Null: the " +
      "office, and payments that lead to no unit.",
    sql: `, ${BILLS}, payday as (
        select ((case when extract(day from now_) <= 5 then this_month else this_month + interval '1 month' end)
          + interval '4 days')::date as day
        from clock
      )
      select unit as estabelecimento_id, sum(amount)::float8 as despesas
      from bills, payday
      where due = day
      group by 1
      order by 1`,
  },
  {
    name: "which cost centres are above their average of six months",
    definition:
      "Payments due last month by cost centre, where their sum is above a sixth of those due in the six months " +
      "before it.",
    sql: `, ${BILLS}, sums as (
        select id_centro_custo, coalesce(sum(amount) filter (where due >= last_month), 0) as present,
          coalesce(sum(amount) filter (where due < last_month), 0) / 6 as average
        from bills, clock
        where due >= last_month - interval '6 months' and due < this_month and id_centro_custo is not null
        group by 1
      )
      select id_centro_custo, present::float8 as valor_total, round(average, 2)::float8 as average
      from sums
      where present > average
      order by present - average desc, 1`,
  },
  {
    name: "how many clients of this year bought without a service",
    definition:
      "Clients whose visits of this year have no service, and at least one a line that was sold and not taken.",
    sql: `select count(*)::int as clientes, coalesce(sum(total), 0)::float8 as valor_total
      from (
        select cliente_salon_id, sum(total) as total
        from visits, clock
        where cliente_salon_id is not null and at >= this_year and at < tomorrow
        group by 1
        having bool_and(jsonb_typeof(servicos) is distinct from 'array'
            or not jsonb_path_exists(servicos, 'strict $[*] ? (@.type() == "object")'))
          and bool_or(exists (
            select
            from lines
            where origem = 'salao' and transacao_id = visits.salon_id
              and lines.estabelecimento_id = visits.estabelecimento_id and not is_taken
          ))
      ) as buyers`,
  },
  {
    name: "how Saturday after 18h compares with Saturday before 12h, by unit",
    definition: "Revenue of the Saturdays of the last ninety days, by unit.",
    sql: `, ${REVENUE}
      select estabelecimento_id, coalesce(sum(amount) filter (where extract(hour from at) < 12), 0)::float8 as before_12,
        coalesce(sum(amount) filter (where extract(hour from at) >= 18), 0)::float8 as after_18
      from revenue, clock
      where at >= tomorrow - interval '90 days' and at < tomorrow and extract(isodow from at) = 6
        and (extract(hour from at) < 12 or extract(hour from at) >= 18)
      group by 1
      order by 1`,
  },
  {
    name: "why last week fell",
    definition:
      "Revenue and visits of last week, Monday to Sunday, and of the week before, by unit: the largest fall first.",
    sql: `, ${REACHED}, ${REVENUE}, weeks as (
        select estabelecimento_id, revenue.at >= this_week - interval '7 days' as is_last, amount, visits
        from revenue, clock, reached
        where revenue.at >= this_week - interval '14 days' and revenue.at < this_week
          and (revenue.at >= this_week - interval '7 days'
            or revenue.at < least(this_week, greatest(reached.at, this_week - interval '7 days')) - interval '7 days')
      )
      select estabelecimento_id, coalesce(sum(amount) filter (where is_last), 0)::float8 as valor_total,
        coalesce(sum(visits) filter (where is_last), 0)::int as visitas,
        coalesce(sum(amount) filter (where not is_last), 0)::float8 as anterior_valor_total,
        coalesce(sum(visits) filter (where not is_last), 0)::int as anterior_visitas
      from weeks
      group by 1
      order by coalesce(sum(case when is_last then amount else -amount end), 0), 1`,
  },
  {
    name: "whether this month's goal will be reached",
    definition:
      "The goals of yesterday's month, the revenue of the units with a goal from its first day to yesterday, and that " +
      "revenue / these days × the days of the month.",
    sql: `, ${REVENUE}, ran as (
        select date_trunc('month', tomorrow - interval '2 days') as month, (tomorrow - interval '1 day') as today
        from clock
      ), sums as (
        select month, (
            select sum(valor) from metas where mes = month::date
          ) as goal, (
            select coalesce(sum(amount), 0)
            from revenue
            where at >= month and at < today and estabelecimento_id in (
              select estabelecimento_id from metas where mes = month::date
            )
          ) as paid,
          extract(day from today - month) as days, extract(day from month + interval '1 month' - interval '1 day') as all_days
        from ran
      )
      select to_char(month, 'YYYY-MM-DD') as mes, paid::float8 as valor_com_meta, goal::float8 as meta,
        round(paid / days * all_days, 2)::float8 as pace, paid / days * all_days >= goal as is_reached
      from sums`,
  },
  {
    name: "how many courtesies each professional gave",
    definition: "Services of this year that were a courtesy, by professional: the most first.",
    sql: `select nullif(service ->> 'idProfissionalQueRealizouServico', '') as profissional_salon_id,
        count(*)::int as cortesias
      from clock, visits
      cross join jsonb_array_elements(case jsonb_typeof(servicos) when 'array' then servicos else '[]' end) as service
      where at >= this_year and at < tomorrow and service -> 'cortesia' = 'true'
      group by 1
      order by 2 desc, 1`,
  },
  {
    name: "what is left of each unit in each month of this year",
    definition:
      "Revenue less payments due until today (R27), by unit and month. Null: a unit to which no cost centre leads.",
    sql: `, ${REVENUE}, ${BILLS}, earned as (
        select estabelecimento_id as unit, date_trunc('month', at) as month, sum(amount) as amount
        from revenue, clock
        where at >= this_year and at < tomorrow
        group by 1, 2
      ), spent as (
        select unit, date_trunc('month', due::timestamp) as month, sum(amount) as amount
        from bills, clock
        where due >= this_year and due < tomorrow
        group by 1, 2
      ), both_sides as (
        select unit, month, coalesce(sum(amount) filter (where is_earned), 0) as earned,
          case when unit is null or unit in (select unit from led)
            then coalesce(sum(amount) filter (where not is_earned), 0) end as spent
        from (
          select *, true as is_earned from earned
          union all
          select *, false from spent
        ) as sides
        group by 1, 2
      )
      select unit as estabelecimento_id, to_char(month, 'YYYY-MM-DD') as mes, earned::float8 as faturamento,
        spent::float8 as despesas, (earned - spent)::float8 as resultado,
        round((earned - spent) / nullif(earned, 0), 4)::float8 as margem
      from both_sides
      order by 1, 2`,
  },
  {
    name: "whether new clients come back within 90 days, by unit",
    definition:
      "First visits ever, since the first day of this month a year ago, by unit: how many have had their 90 days, and " +
      "how many of these came again.",
    sql: `, ${REACHED}, ${returnsWithin(90)}
      select estabelecimento_id, ${RETURNED}
      from returns, clock
      where is_first and at >= this_month - interval '1 year' and at < tomorrow
      group by 1
      order by retorno desc nulls last, 1`,
  },
  {
    name: "which hour is best for a promotion",
    definition:
      "The weekday and hour with the fewest visits in the last ninety days, at least one: closed hours have none.",
    sql: `select extract(isodow from at)::int as dia_semana, extract(hour from at)::int as hora, count(*)::int as visitas
      from visits, clock
      where at >= tomorrow - interval '90 days' and at < tomorrow
      group by 1, 2
      order by 3, 1, 2`,
  },
  {
    name: "how many reais the lost regulars spent a month",
    definition: "The visits of the lost regulars in the six months before last month / 6.",
    sql: `, ${LOST}
      select count(*)::int as clientes, coalesce(sum(spent), 0)::float8 as valor_total,
        coalesce(round(sum(spent) / 6, 2), 0)::float8 as a_month
      from lost`,
  },
  {
    name: "which first-visit month keeps its clients best",
    definition:
      "Of the nine months that end five months ago, the share of first visits whose client came again within 90 " +
      "days: the same time for each month.",
    sql: `, ${REACHED}, ${returnsWithin(90)}
      select to_char(date_trunc('month', at), 'YYYY-MM-DD') as mes, ${RETURNED}
      from returns, clock
      where is_first and at >= this_month - interval '13 months' and at < this_month - interval '4 months'
      group by 1
      order by retorno desc nulls last, 1`,
  },
];

/** The 12th hour of the 10th of a month, counted from this one. */
const tenth = (months: string) => `this_month + ${months} * interval '1 month' + interval '9 days 12 hours'`;

const SERVICE = `'[{"idProfissionalQueRealizouServico": 5001, "nome": "Corte", "valor": 90, "cortesia": false},
  {"idProfissionalQueRealizouServico": 5001, "nome": "Escova", "valor": 0, "cortesia": true}]'`;

/**
 * Rows for the questions in a small warehouse. Lost regulars: three of 101, one of 102 that came to 101 before. Kept:
 * one. First visits eight months ago: five in 103, of which two came again within 90 days, one on the same day and one
 * later; one this month. Buyers: one; another's line was taken. Payments of a professional's centre.
 */
export const nextQuestionRows = (now: string): string[] => {
  const visits = `
    select 'lost ' || n as client, case when n = 4 and month > -3 then '102' else '101' end as unit, ${tenth("month")} as at, ${SERVICE} as services
    from clock, generate_series(1, 4) as n, generate_series(-7, -2) as month
    where n > 1 or month > -7
    union all
    select 'kept', '101', ${tenth("month")}, ${SERVICE} from clock, generate_series(-7, -1) as month
    union all
    select 'new ' || n, '103', ${tenth("-8")}, ${SERVICE} from clock, generate_series(1, 5) as n
    union all
    select 'new ' || n, '103', ${tenth("-8")} + days * interval '1 day' + interval '1 hour', ${SERVICE}
    from clock, (values (1, 30), (2, 90), (3, 0), (4, 91)) as later (n, days)
    union all
    select 'new 6', '103', now_, ${SERVICE} from clock
    union all
    select 'buyer', '101', now_, null from clock
    union all
    select 'taker', '101', now_, null from clock
    union all
    select 'buyer who came', '101', now_, null from clock
    union all
    select 'buyer who came', '102', now_, ${SERVICE} from clock`;
  const lines = `
    select case when client = 'taker' then 'Descontar do Profissional' else 'Pix' end as form, unit, at,
      salon_id, 'next ' || client as client
    from (
      select salon_id, estabelecimento_id as unit, data_hora as at, replace(cliente_salon_id, 'next ', '') as client
      from transacoes
      where salon_id like 'next %' and servicos is null
    ) as bought`;
  const payday = `((case when extract(day from now_) <= 5 then this_month else this_month + interval '1 month' end)
    + interval '4 days')::date`;
  const payments = `
    select '7001' as centre, 1000.5 as value, ${payday} as due from clock
    union all
    select erp_centro_custo_id, 200.25, ${payday} from clock, people
    union all
    select '7000', 300, ${payday} from clock
    union all
    select erp_centro_custo_id, 900, (last_month + interval '3 days')::date from clock, people
    union all
    select erp_centro_custo_id, 100, (last_month - n * interval '1 month' + interval '3 days')::date
    from clock, people, generate_series(1, 6) as n`;
  const people = `people as (
      select erp_centro_custo_id
      from profissionais
      where salon_estabelecimento_id = '101' and erp_centro_custo_id is not null
      order by id
      limit 1
    )`;
  return [
    `, added as (${visits})
    insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome, servicos,
      forma_pagamento_principal, sent_to_erp, raw_data)
    select 'next ' || row_number() over (order by client, at), unit, 90, at at time zone 'America/Sao_Paulo',
      'next ' || client, 'Bruna Barbosa', services::jsonb, 'Cartão de Crédito', at <> now_, '{}'
    from added, clock`,
    `, added as (${lines})
    insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, cliente_id, produto_id, quantidade,
      valor_total, forma_pagamento)
    select 'salao', salon_id, unit, at, client, 'P1', 1, 90, form from added`,
    `, ${people}, added as (${payments})
    insert into pagamentos_erp (erp_id, id_centro_custo, situacao, nome_conta_classificacao, valor, data_vencimento,
      descricao, raw_data)
    select 820000 + row_number() over (order by centre, due), centre, 1, 'Salários', value, due, 'next', '{}'
    from added`,
  ].map((statement) => plainSql(now, statement));
};

/** Removes what `nextQuestionRows` added. */
export const NO_NEXT_QUESTION_ROWS = [
  "delete from transacoes where salon_id like 'next %'",
  "delete from vendas_produto where transacao_id like 'next %'",
  "delete from pagamentos_erp where descricao = 'next'",
];
