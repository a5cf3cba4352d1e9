matched as not materialized (select * from grouped where not is_total),
filled as materialized (
  select period as "mes", coalesce(measure, 0) as measure
  from (
    select (first + n * interval '1 months')::date as period
    from (
      select
        date_trunc('month', (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date::timestamp)::date as first,
        date_trunc('month', (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date::timestamp)::date as last
      offset 0
    ) as ends,
    generate_series(0, 1100) as n
    where
      n <= (
        (
          extract(year from last) * 12 + extract(month from last)
       )::integer - (extract(year from first) * 12 + extract(month from first))::integer
      ) / 1
  ) as periods
  left join matched on "mes" = period
),
size as materialized (
  select count(*) as matched_rows, (select count(*) from filled) as all_rows
  from matched
),
shown as materialized (
  select *
  from "filled" as answer
  order by measure desc nulls last, "mes" nulls last
  limit :limite
)
select
  case
    when matched_rows <= 100000
    and all_rows <= 1100 then '{"data":[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (select "mes", measure from shown as answer) as record
      ),
      ''
    ) || '],"linhas":' || all_rows || ',"totais":' || (
      select row_to_json(totals)::text
      from (select measure from grouped where is_total) as totals
    ) || ',"explicacao":' || :explicar || ',"dados_ate":' || coalesce(to_json(data_reached (:agora::timestamptz))::text, 'null') || '}' || '}'
  end as body,
  case
    when not (matched_rows <= 100000 and all_rows <= 1100) then (select min("mes") from matched)
  end::text as first,
  case
    when not (matched_rows <= 100000 and all_rows <= 1100) then (select max("mes") from matched)
  end::text as last,
  null::text as refusal, (select records from grouped where is_total)::text as matched_facts
from size
