select
  case
    when body_fits then body
  end as body,
  "first",
  "last",
  "refusal",
  sha256_of (
    case
      when body_fits then body
      else left(body, 1)
    end
  ) as tag
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
              "pagamentos_facts".*,
              starts_on as "key_0"
            from
              (
                select
                  date_trunc('month', ("pagamentos_facts"."paid")::timestamp)::date as "starts_on",
                  1 as "records",
                  "pagamentos_facts"."situacao" as "situacao",
                  "pagamentos_facts"."id_centro_custo" as "id_centro_custo",
                  "pagamentos_facts"."nome_conta_classificacao" as "nome_conta_classificacao",
                  "pagamentos_facts"."valor_exato" as "valor_exato"
                from
                  "pagamentos_facts"
                where
                  (
                    (
                      "pagamentos_facts"."paid" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                      and "pagamentos_facts"."paid" > '-infinity'
                      and "pagamentos_facts"."paid" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
                    )
                    and isfinite("pagamentos_facts"."paid")
                  )
              ) as "pagamentos_facts"
            where
              (
                "pagamentos_facts"."situacao" = :situacao
                and "pagamentos_facts"."id_centro_custo" = :id_centro_custo
                and "pagamentos_facts"."nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
                and "pagamentos_facts"."valor_exato" >= :valor_min::numeric
                and "pagamentos_facts"."valor_exato" <> 'NaN'
              )
          ) as "pagamentos_facts"
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
          "pagamentos" desc nulls last,
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
      end::text as last,
      null::text as refusal
    from
      size
    offset
      0
  ) as finished
