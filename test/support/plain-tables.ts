/** Names of ranges in SQL, in the local time of Brasília: `this_month` is the first moment of it. */
const clockAt = (now: string) => `clock as (
  select *, date_trunc('week', now_) as this_week, date_trunc('month', now_) as this_month,
    date_trunc('month', now_) - interval '1 month' as last_month, date_trunc('quarter', now_) as this_quarter,
    date_trunc('quarter', now_) - interval '3 months' as last_quarter, date_trunc('year', now_) as this_year,
    now_::date + interval '1 day' as tomorrow, date_trunc('minute', now_) as minute
  from (select timestamptz '${now}' at time zone 'America/Sao_Paulo' as now_) as instant
)`;

/** Visits and product lines with their local time, and the objects in `servicos`. */
const tables = `visits as (
  select *, data_hora at time zone 'America/Sao_Paulo' as at from transacoes where isfinite(data_hora)
), lines as (
  select *, data_hora at time zone 'America/Sao_Paulo' as at, forma_pagamento is not distinct from 'Descontar do Profissional' as is_taken,
    case when valor_total between -1e15 and 1e15 then valor_total else 0 end as amount
  from vendas_produto where data_hora is null or isfinite(data_hora)
), services as (
  select at, service ->> 'idProfissionalQueRealizouServico' as professional, (service -> 'valor')::numeric as amount
  from visits, jsonb_array_elements(servicos) as service where jsonb_typeof(service -> 'valor') = 'number'
)`;

/** Plain SQL over the base tables. @param now the instant of `clock`, which names ranges, as an ISO 8601 date-time */
export const plainSql = (now: string, query: string) => `with ${clockAt(now)}, ${tables} ${query}`;
