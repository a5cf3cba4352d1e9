select
  *,
  encode(sha256(convert_to(replace(body, '"fim":' || to_json(:anterior_fim::timestamptz)::text, ''), 'UTF8')), 'hex') as tag
from
  (
    with
      now_grouped as materialized (
        select
          "key_0" as "mes",
          grouping(key_0) = 1 as is_total,
          coalesce(sum(records), 0) as "lancamentos"
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
                  "sent_to_salon" as "sent_to_salon",
                  "pessoa" as "pessoa"
                from
                  (
                    select
                      starts_on as starts_on,
                      "pessoa",
                      "sent_to_salon",
                      records as "records"
                    from
                      "lancamentos_vencimento_rollup"
                    where
                      (
                        grain = 'month'
                        and "estabelecimento_id" = :estabelecimento_id
                        and starts_on > '-infinity'
                        and starts_on >= date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date
                        and starts_on < date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date
                      )
                    union all
                    select
                      date_trunc('month', (starts_on)::timestamp)::date as starts_on,
                      "pessoa",
                      "sent_to_salon",
                      case
                        when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) <= date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date then records
                        else - records
                      end as "records"
                    from
                      "lancamentos_vencimento_rollup"
                    where
                      (
                        grain = 'day'
                        and "estabelecimento_id" = :estabelecimento_id
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
                      "pessoa",
                      "sent_to_salon",
                      case
                        when date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date <= ((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) then records
                        else - records
                      end as "records"
                    from
                      "lancamentos_vencimento_rollup"
                    where
                      (
                        grain = 'day'
                        and "estabelecimento_id" = :estabelecimento_id
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
                    "sent_to_salon" = :sent_to_salon
                    and "pessoa" = any (:pessoa::text[])
                  )
              ) as facts
          ) as facts
        group by
          grouping sets (("key_0"), ())
        having
          grouping(key_0) = 1
          or sum(records) > 0
      ),
      earlier_grouped as materialized (
        select
          "key_0" as "mes",
          grouping(key_0) = 1 as is_total,
          coalesce(sum(records), 0) as "lancamentos"
        from
          (
            select
              facts.*,
              (
                date_trunc('month', (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date::timestamp)::date + (
                  (
                    extract(
                      year
                      from
                        starts_on
                    ) * 12 + extract(
                      month
                      from
                        starts_on
                    )
                  )::integer - (
                    extract(
                      year
                      from
                        date_trunc('month', (:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date::timestamp)::date
                    ) * 12 + extract(
                      month
                      from
                        date_trunc('month', (:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date::timestamp)::date
                    )
                  )::integer
                ) * interval '1 month'
              )::date as "key_0"
            from
              (
                select
                  starts_on as "starts_on",
                  records as "records",
                  "sent_to_salon" as "sent_to_salon",
                  "pessoa" as "pessoa"
                from
                  (
                    select
                      starts_on as starts_on,
                      "pessoa",
                      "sent_to_salon",
                      records as "records"
                    from
                      "lancamentos_vencimento_rollup"
                    where
                      (
                        grain = 'month'
                        and "estabelecimento_id" = :estabelecimento_id
                        and starts_on > '-infinity'
                        and starts_on >= date_trunc('month', (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date
                        and starts_on < date_trunc('month', (((:anterior_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date
                      )
                    union all
                    select
                      date_trunc('month', (starts_on)::timestamp)::date as starts_on,
                      "pessoa",
                      "sent_to_salon",
                      case
                        when ((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) <= date_trunc('month', (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date then records
                        else - records
                      end as "records"
                    from
                      "lancamentos_vencimento_rollup"
                    where
                      (
                        grain = 'day'
                        and "estabelecimento_id" = :estabelecimento_id
                        and starts_on >= least(
                          date_trunc('month', (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date,
                          ((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0)
                        )
                        and starts_on < greatest(
                          date_trunc('month', (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date,
                          ((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0)
                        )
                      )
                    union all
                    select
                      date_trunc('month', (starts_on)::timestamp)::date as starts_on,
                      "pessoa",
                      "sent_to_salon",
                      case
                        when date_trunc('month', (((:anterior_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date <= ((:anterior_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) then records
                        else - records
                      end as "records"
                    from
                      "lancamentos_vencimento_rollup"
                    where
                      (
                        grain = 'day'
                        and "estabelecimento_id" = :estabelecimento_id
                        and starts_on >= least(
                          date_trunc('month', (((:anterior_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date,
                          ((:anterior_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1)
                        )
                        and starts_on < greatest(
                          date_trunc('month', (((:anterior_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date,
                          ((:anterior_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1)
                        )
                      )
                  ) as sums
                where
                  (
                    "sent_to_salon" = :sent_to_salon
                    and "pessoa" = any (:pessoa::text[])
                  )
              ) as facts
          ) as facts
        group by
          grouping sets (("key_0"), ())
        having
          grouping(key_0) = 1
          or sum(records) > 0
      ),
      grouped as materialized (
        select
          "mes",
          "is_total",
          coalesce(
            max("lancamentos") filter (
              where
                not is_earlier
            ),
            0
          ) as "lancamentos",
          coalesce(
            max("lancamentos") filter (
              where
                is_earlier
            ),
            0
          ) as "anterior_lancamentos"
        from
          (
            select
              "mes",
              "is_total",
              "lancamentos",
              false as is_earlier
            from
              now_grouped
            union all
            select
              "mes",
              "is_total",
              "lancamentos",
              true as is_earlier
            from
              earlier_grouped
            where
              is_total
              or "mes" <= date_trunc('month', (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date::timestamp)::date
          ) as sides
        group by
          "mes",
          "is_total"
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
          coalesce("lancamentos", 0) as "lancamentos",
          coalesce("anterior_lancamentos", 0) as "anterior_lancamentos"
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
                  "lancamentos",
                  (
                    select
                      earlier
                    from
                      (
                        select
                          "anterior_lancamentos" as "lancamentos"
                      ) as earlier
                  ) as anterior
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
                "lancamentos",
                (
                  select
                    earlier
                  from
                    (
                      select
                        "anterior_lancamentos" as "lancamentos"
                    ) as earlier
                ) as anterior
              from
                grouped
              where
                is_total
            ) as totals
        ) || ',"anterior":{"inicio":' || to_json(:anterior_inicio::timestamptz)::text || ',"fim":' || to_json(:anterior_fim::timestamptz)::text || '}' || '}'
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
