select "first", "last", "refusal", "matched_facts", body_if (body_fits)
from (
  with
    grouped as materialized (
      select
        "key_0" as "mes", grouping(key_0) = 1 as is_total,
        coalesce(round(sum("faturamento"."valor"), 2), 0.00) as "faturamento",
        coalesce(sum(records), 0) as records
      from (
        select "faturamento".*, starts_on as "key_0"
        from (
          select starts_on as "starts_on", records as "records", "visitas_facts"."total" as "valor"
          from (
            range_by_period (records as "records", "total" as "total", transacoes_rollup, "estabelecimento_id" = :estabelecimento_id)
          ) as "visitas_facts"
          union all
          select
            starts_on as "starts_on", records as "records",
            case
              when "vendas_facts"."origem" = 'salao' then - "vendas_facts"."valor_profissional"
              else "vendas_facts"."valor_total"
            end as "valor"
          from (
            range_by_period (
              "origem", records as "records",
              "valor_total" as "valor_total", "valor_profissional" as "valor_profissional",
              vendas_produto_rollup, "estabelecimento_id" = :estabelecimento_id
            )
          ) as "vendas_facts"
          union all
          select starts_on as "starts_on", records as "records", 0 as "valor"
          from (
            select
              date_trunc('month', ("pagamentos_facts"."paid")::timestamp)::date as "starts_on",
              1 as "records"
            from (
              select *
              from (
                select "pagamentos_facts".*, unit as estabelecimento_id
                from
                  "pagamentos_facts"
                  left join (units_of_centres ()) as centres on centre = "pagamentos_facts"."id_centro_custo"
                where
                  (
                    "pagamentos_facts"."paid" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                    and "pagamentos_facts"."paid" > '-infinity'
                    and "pagamentos_facts"."paid" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
                  )
              ) as bills
              where "estabelecimento_id" = :estabelecimento_id
            ) as "pagamentos_facts"
            where isfinite("pagamentos_facts"."paid")
          ) as "pagamentos_facts"
        ) as "faturamento"
      ) as "faturamento"
      group by grouping sets (("key_0"), ())
      having grouping(key_0) = 1 or sum(records) > 0
    ),
    matched as not materialized (select * from grouped where not is_total),
    filled as materialized (
      select period as "mes", coalesce("faturamento", 0.00) as "faturamento"
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
      order by "faturamento" desc nulls last, "mes" nulls last
      limit :limite
    )
  select
    case
      when matched_rows <= 100000
      and all_rows <= 1100 then '{"data":[' || coalesce(
        (
          select string_agg(row_to_json(record)::text, ',')
          from (select "mes", "faturamento" from shown as answer) as record
        ),
        ''
      ) || '],"linhas":' || all_rows || ',"totais":' || (
        select row_to_json(totals)::text
        from (select "faturamento" from grouped where is_total) as totals
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
  offset 0
) as finished
