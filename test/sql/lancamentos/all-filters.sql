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
          coalesce(sum(records), 0) as "lancamentos"
        from
          (
            select
              "lancamentos_facts".*,
              starts_on as "key_0"
            from
              (
                select
                  date_trunc('month', ("lancamentos_facts"."day")::timestamp)::date as "starts_on",
                  1 as "records",
                  "lancamentos_facts"."sent_to_salon" as "sent_to_salon",
                  "lancamentos_facts"."pessoa" as "pessoa"
                from
                  "lancamentos_facts"
                where
                  (
                    (
                      "lancamentos_facts"."at" >= :data_inicio
                      and "lancamentos_facts"."at" > '-infinity'
                      and "lancamentos_facts"."at" <= :data_fim
                      and "estabelecimento_id" = :estabelecimento_id
                    )
                    and isfinite("lancamentos_facts"."day")
                  )
              ) as "lancamentos_facts"
            where
              (
                "lancamentos_facts"."sent_to_salon" = :sent_to_salon
                and "lancamentos_facts"."pessoa" = any (:pessoa::text[])
              )
          ) as "lancamentos_facts"
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
          coalesce("lancamentos", 0) as "lancamentos"
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
          "lancamentos" desc nulls last,
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
                  "lancamentos"
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
                "lancamentos"
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
