select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    select
      left(report.body, -1) || ',"anterior":{"inicio":' || to_json(:anterior_inicio::timestamptz)::text || ',"fim":' || to_json(:anterior_fim::timestamptz)::text || ',' || substr(earlier.body, 2) || '}' as body
    from
      (
        with
          ends as materialized (
            select
              first,
              last,
              last - first + 1 as periods
            from
              (
                select
                  (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date as first,
                  (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date as last
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
                          (first + n * interval '1 day')::date as inicio
                        from
                          ends,
                          generate_series(0, periods::integer - 1) as n
                      ) as periods
                      left join (
                        select
                          starts_on as starts_on,
                          "sent_to_erp",
                          records as "records",
                          "total" as "total"
                        from
                          "transacoes_rollup"
                        where
                          (
                            grain = 'day'
                            and "estabelecimento_id" = :estabelecimento_id
                            and starts_on > '-infinity'
                            and starts_on >= ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date
                            and starts_on < (
                              (
                                ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                              ) + interval '12 hours'
                            )::date
                          )
                        union all
                        select
                          day as starts_on,
                          "sent_to_erp",
                          case
                            when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then 1
                            else -1
                          end as "records",
                          case
                            when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then "total"
                            else - "total"
                          end as "total"
                        from
                          "transacoes_rollup_source"
                        where
                          (
                            "estabelecimento_id" = :estabelecimento_id
                            and at >= least(
                              brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date),
                              :data_inicio::timestamptz
                            )
                            and at < greatest(
                              brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date),
                              :data_inicio::timestamptz
                            )
                          )
                        union all
                        select
                          day as starts_on,
                          "sent_to_erp",
                          case
                            when brasilia_midnight (
                              (
                                (
                                  ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                ) + interval '12 hours'
                              )::date
                            ) <= ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then 1
                            else -1
                          end as "records",
                          case
                            when brasilia_midnight (
                              (
                                (
                                  ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                ) + interval '12 hours'
                              )::date
                            ) <= ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then "total"
                            else - "total"
                          end as "total"
                        from
                          "transacoes_rollup_source"
                        where
                          (
                            "estabelecimento_id" = :estabelecimento_id
                            and at >= least(
                              brasilia_midnight (
                                (
                                  (
                                    ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date
                              ),
                              ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')
                            )
                            and at < greatest(
                              brasilia_midnight (
                                (
                                  (
                                    ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date
                              ),
                              ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')
                            )
                          )
                      ) as visits on starts_on = inicio
                    group by
                      inicio
                    order by
                      inicio
                  ) as record
              ),
              ''
            ) || ']}'
          end as body
      ) as report,
      (
        with
          ends as materialized (
            select
              first,
              last,
              last - first + 1 as periods
            from
              (
                select
                  (:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo')::date as first,
                  (:anterior_fim::timestamptz at time zone 'America/Sao_Paulo')::date as last
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
                          (first + n * interval '1 day')::date as inicio
                        from
                          ends,
                          generate_series(0, periods::integer - 1) as n
                      ) as periods
                      left join (
                        select
                          starts_on as starts_on,
                          "sent_to_erp",
                          records as "records",
                          "total" as "total"
                        from
                          "transacoes_rollup"
                        where
                          (
                            grain = 'day'
                            and "estabelecimento_id" = :estabelecimento_id
                            and starts_on > '-infinity'
                            and starts_on >= ((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date
                            and starts_on < (
                              (
                                ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                              ) + interval '12 hours'
                            )::date
                          )
                        union all
                        select
                          day as starts_on,
                          "sent_to_erp",
                          case
                            when :anterior_inicio::timestamptz <= brasilia_midnight (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then 1
                            else -1
                          end as "records",
                          case
                            when :anterior_inicio::timestamptz <= brasilia_midnight (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then "total"
                            else - "total"
                          end as "total"
                        from
                          "transacoes_rollup_source"
                        where
                          (
                            "estabelecimento_id" = :estabelecimento_id
                            and at >= least(
                              brasilia_midnight (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date),
                              :anterior_inicio::timestamptz
                            )
                            and at < greatest(
                              brasilia_midnight (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date),
                              :anterior_inicio::timestamptz
                            )
                          )
                        union all
                        select
                          day as starts_on,
                          "sent_to_erp",
                          case
                            when brasilia_midnight (
                              (
                                (
                                  ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                ) + interval '12 hours'
                              )::date
                            ) <= ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then 1
                            else -1
                          end as "records",
                          case
                            when brasilia_midnight (
                              (
                                (
                                  ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                ) + interval '12 hours'
                              )::date
                            ) <= ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then "total"
                            else - "total"
                          end as "total"
                        from
                          "transacoes_rollup_source"
                        where
                          (
                            "estabelecimento_id" = :estabelecimento_id
                            and at >= least(
                              brasilia_midnight (
                                (
                                  (
                                    ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date
                              ),
                              ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')
                            )
                            and at < greatest(
                              brasilia_midnight (
                                (
                                  (
                                    ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date
                              ),
                              ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')
                            )
                          )
                      ) as visits on starts_on = inicio
                    group by
                      inicio
                    order by
                      inicio
                  ) as record
              ),
              ''
            ) || ']}'
          end as body
      ) as earlier
    offset
      0
  ) as finished
