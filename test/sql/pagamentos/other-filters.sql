select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    with
      grouped as materialized (
        select
          "key_0" as "mes",
          grouping(key_0) = 1 as is_total,
          coalesce(sum(records), 0) as "pagamentos"
        from
          (
            select
              facts.*,
              starts_on as "key_0"
            from
              (
                select
                  starts_on as "starts_on",
                  records as "records",
                  "situacao" as "situacao",
                  "id_centro_custo" as "id_centro_custo",
                  "nome_conta_classificacao" as "nome_conta_classificacao"
                from
                  (
                    select
                      starts_on as starts_on,
                      "situacao",
                      "id_centro_custo",
                      "nome_conta_classificacao",
                      records as "records"
                    from
                      "pagamentos_vencimento_rollup"
                    where
                      (
                        grain = 'month'
                        and starts_on > '-infinity'
                        and starts_on >= date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date
                        and starts_on < date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date
                      )
                    union all
                    select
                      date_trunc('month', (starts_on)::timestamp)::date as starts_on,
                      "situacao",
                      "id_centro_custo",
                      "nome_conta_classificacao",
                      case
                        when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) <= date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date then records
                        else - records
                      end as "records"
                    from
                      "pagamentos_vencimento_rollup"
                    where
                      (
                        grain = 'day'
                        and starts_on >= least(
                          date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date,
                          ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0)
                        )
                        and starts_on < greatest(
                          date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date,
                          ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0)
                        )
                      )
                    union all
                    select
                      date_trunc('month', (starts_on)::timestamp)::date as starts_on,
                      "situacao",
                      "id_centro_custo",
                      "nome_conta_classificacao",
                      case
                        when date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date <= ((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) then records
                        else - records
                      end as "records"
                    from
                      "pagamentos_vencimento_rollup"
                    where
                      (
                        grain = 'day'
                        and starts_on >= least(
                          date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date,
                          ((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1)
                        )
                        and starts_on < greatest(
                          date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date,
                          ((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1)
                        )
                      )
                  ) as sums
                where
                  (
                    "situacao" = :situacao
                    and "id_centro_custo" = :id_centro_custo
                    and "nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
                  )
              ) as facts
          ) as facts
        group by
          grouping sets (("key_0"), ())
        having
          grouping(key_0) = 1
          or sum(records) > 0
      ),
      matched as not materialized (
        select
          *
        from
          grouped
        where
          not is_total
      ),
      filled as materialized (
        select
          period as "mes",
          coalesce("pagamentos", 0) as "pagamentos"
        from
          (
            select
              (first + n * interval '1 months')::date as period
            from
              (
                select
                  date_trunc('month', (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date::timestamp)::date as first,
                  date_trunc('month', (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date::timestamp)::date as last
                offset
                  0
              ) as ends,
              generate_series(0, 1100) as n
            where
              n <= (
                (
                  extract(
                    year
                    from
                      last
                  ) * 12 + extract(
                    month
                    from
                      last
                  )
                )::integer - (
                  extract(
                    year
                    from
                      first
                  ) * 12 + extract(
                    month
                    from
                      first
                  )
                )::integer
              ) / 1
          ) as periods
          left join matched on "mes" = period
      ),
      size as materialized (
        select
          count(*) as matched_rows,
          (
            select
              count(*)
            from
              filled
          ) as all_rows
        from
          matched
      ),
      shown as materialized (
        select
          *
        from
          "filled" as answer
        order by
          "mes" asc nulls last,
          "mes" nulls last
        limit
          :limite
      )
    select
      case
        when matched_rows <= 100000
        and all_rows <= 1100 then '{"data":[' || coalesce(
          (
            select
              string_agg(row_to_json(record)::text, ',')
            from
              (
                select
                  "mes",
                  "pagamentos"
                from
                  shown as answer
              ) as record
          ),
          ''
        ) || '],"linhas":' || all_rows || ',"totais":' || (
          select
            row_to_json(totals)::text
          from
            (
              select
                "pagamentos"
              from
                grouped
              where
                is_total
            ) as totals
        ) || '}'
      end as body,
      case
        when not (
          matched_rows <= 100000
          and all_rows <= 1100
        ) then (
          select
            min("mes")
          from
            matched
        )
      end::text as first,
      case
        when not (
          matched_rows <= 100000
          and all_rows <= 1100
        ) then (
          select
            max("mes")
          from
            matched
        )
      end::text as last
    from
      size
    offset
      0
  ) as finished
