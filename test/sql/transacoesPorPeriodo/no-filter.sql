select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    with
      ends as materialized (
        select
          first,
          last,
          extract(
            year
            from
              last
          ) * 12 + extract(
            month
            from
              last
          ) - (
            extract(
              year
              from
                first
            ) * 12 + extract(
              month
              from
                first
            )
          ) + 1 as periods
        from
          (
            select
              (
                select
                  starts_on
                from
                  "transacoes_rollup"
                where
                  (
                    grain = 'month'
                    and starts_on > '-infinity'
                    and starts_on < 'infinity'
                  )
                group by
                  starts_on
                having
                  sum(records) > 0
                order by
                  starts_on asc
                limit
                  1
              ) as first,
              (
                select
                  starts_on
                from
                  "transacoes_rollup"
                where
                  (
                    grain = 'month'
                    and starts_on > '-infinity'
                    and starts_on < 'infinity'
                  )
                group by
                  starts_on
                having
                  sum(records) > 0
                order by
                  starts_on desc
                limit
                  1
              ) as last
            offset
              0
          ) as bounds
      )
    select
      case
        when (
          (
            select
              periods
            from
              ends
          ) > 1100
        ) is not true then '{"data":[' || coalesce(
          (
            select
              string_agg(row_to_json(record)::text, ',')
            from
              (
                select
                  inicio,
                  coalesce(sum(records), 0) as total_transacoes,
                  round(coalesce(sum(total), 0), 2) as valor_total,
                  coalesce(
                    sum(records) filter (
                      where
                        sent_to_erp
                    ),
                    0
                  ) as enviadas_erp,
                  coalesce(
                    sum(records) filter (
                      where
                        not sent_to_erp
                    ),
                    0
                  ) as pendentes_erp
                from
                  (
                    select
                      (first + n * interval '1 month')::date as inicio
                    from
                      ends,
                      generate_series(0, periods::integer - 1) as n
                  ) as periods
                  left join (
                    select
                      date_trunc('month', (starts_on)::timestamp)::date as starts_on,
                      "sent_to_erp",
                      records as "records",
                      "total" as "total"
                    from
                      "transacoes_rollup"
                    where
                      (
                        grain = 'month'
                        and starts_on > '-infinity'
                        and starts_on < 'infinity'
                      )
                  ) as visits on starts_on = inicio
                group by
                  inicio
                having
                  sum(records) > 0
                  or (
                    select
                      first < last
                    from
                      ends
                  )
                order by
                  inicio
              ) as record
          ),
          ''
        ) || ']}'
      end as body
    offset
      0
  ) as finished
