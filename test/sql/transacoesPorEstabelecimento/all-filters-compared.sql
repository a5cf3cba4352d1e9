select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    select
      left(report.body, -1) || ',"anterior":{"inicio":' || to_json(:anterior_inicio::timestamptz)::text || ',"fim":' || to_json(:anterior_fim::timestamptz)::text || ',' || substr(earlier.body, 2) || '}' as body
    from
      (
        select
          '{"data":[' || coalesce(
            (
              select
                string_agg(row_to_json(record)::text, ',')
              from
                (
                  select
                    estabelecimento_id,
                    "estabelecimentos"."nome",
                    total_transacoes,
                    valor_total,
                    round(valor_total / total_transacoes, 2) as ticket_medio,
                    enviadas_erp,
                    pendentes_erp,
                    valor_pendente
                  from
                    (
                      select
                        estabelecimento_id,
                        sum(records) as total_transacoes,
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
                        ) as pendentes_erp,
                        round(
                          coalesce(
                            sum(total) filter (
                              where
                                not sent_to_erp
                            ),
                            0
                          ),
                          2
                        ) as valor_pendente
                      from
                        (
                          select
                            "estabelecimento_id",
                            "sent_to_erp",
                            records as "records",
                            "total" as "total"
                          from
                            "transacoes_rollup"
                          where
                            (
                              grain = 'month'
                              and "estabelecimento_id" = :estabelecimento_id
                              and starts_on > '-infinity'
                              and starts_on >= date_trunc(
                                'month',
                                (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                              )::date
                              and starts_on < date_trunc(
                                'month',
                                (
                                  (
                                    (
                                      ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date + 15
                                )::timestamp
                              )::date
                            )
                          union all
                          select
                            "estabelecimento_id",
                            "sent_to_erp",
                            case
                              when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                                'month',
                                (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                              )::date then records
                              else - records
                            end as "records",
                            case
                              when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                                'month',
                                (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                              )::date then "total"
                              else - "total"
                            end as "total"
                          from
                            "transacoes_rollup"
                          where
                            (
                              grain = 'day'
                              and "estabelecimento_id" = :estabelecimento_id
                              and starts_on >= least(
                                date_trunc(
                                  'month',
                                  (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                                )::date,
                                ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date
                              )
                              and starts_on < greatest(
                                date_trunc(
                                  'month',
                                  (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                                )::date,
                                ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date
                              )
                            )
                          union all
                          select
                            "estabelecimento_id",
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
                            "estabelecimento_id",
                            "sent_to_erp",
                            case
                              when date_trunc(
                                'month',
                                (
                                  (
                                    (
                                      ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date + 15
                                )::timestamp
                              )::date <= (
                                (
                                  ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                ) + interval '12 hours'
                              )::date then records
                              else - records
                            end as "records",
                            case
                              when date_trunc(
                                'month',
                                (
                                  (
                                    (
                                      ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date + 15
                                )::timestamp
                              )::date <= (
                                (
                                  ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                ) + interval '12 hours'
                              )::date then "total"
                              else - "total"
                            end as "total"
                          from
                            "transacoes_rollup"
                          where
                            (
                              grain = 'day'
                              and "estabelecimento_id" = :estabelecimento_id
                              and starts_on >= least(
                                date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date,
                                (
                                  (
                                    ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date
                              )
                              and starts_on < greatest(
                                date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date,
                                (
                                  (
                                    ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date
                              )
                            )
                          union all
                          select
                            "estabelecimento_id",
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
                        ) as visits
                      group by
                        estabelecimento_id
                      having
                        sum(records) > 0
                    ) as units
                    left join "estabelecimentos" on "estabelecimentos"."salon_id" = estabelecimento_id
                  order by
                    valor_total desc,
                    estabelecimento_id
                ) as record
            ),
            ''
          ) || ']}' as body
      ) as report,
      (
        select
          '{"data":[' || coalesce(
            (
              select
                string_agg(row_to_json(record)::text, ',')
              from
                (
                  select
                    estabelecimento_id,
                    "estabelecimentos"."nome",
                    total_transacoes,
                    valor_total,
                    round(valor_total / total_transacoes, 2) as ticket_medio,
                    enviadas_erp,
                    pendentes_erp,
                    valor_pendente
                  from
                    (
                      select
                        estabelecimento_id,
                        sum(records) as total_transacoes,
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
                        ) as pendentes_erp,
                        round(
                          coalesce(
                            sum(total) filter (
                              where
                                not sent_to_erp
                            ),
                            0
                          ),
                          2
                        ) as valor_pendente
                      from
                        (
                          select
                            "estabelecimento_id",
                            "sent_to_erp",
                            records as "records",
                            "total" as "total"
                          from
                            "transacoes_rollup"
                          where
                            (
                              grain = 'month'
                              and "estabelecimento_id" = :estabelecimento_id
                              and starts_on > '-infinity'
                              and starts_on >= date_trunc(
                                'month',
                                (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                              )::date
                              and starts_on < date_trunc(
                                'month',
                                (
                                  (
                                    (
                                      ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date + 15
                                )::timestamp
                              )::date
                            )
                          union all
                          select
                            "estabelecimento_id",
                            "sent_to_erp",
                            case
                              when ((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                                'month',
                                (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                              )::date then records
                              else - records
                            end as "records",
                            case
                              when ((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                                'month',
                                (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                              )::date then "total"
                              else - "total"
                            end as "total"
                          from
                            "transacoes_rollup"
                          where
                            (
                              grain = 'day'
                              and "estabelecimento_id" = :estabelecimento_id
                              and starts_on >= least(
                                date_trunc(
                                  'month',
                                  (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                                )::date,
                                ((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date
                              )
                              and starts_on < greatest(
                                date_trunc(
                                  'month',
                                  (((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                                )::date,
                                ((:anterior_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date
                              )
                            )
                          union all
                          select
                            "estabelecimento_id",
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
                            "estabelecimento_id",
                            "sent_to_erp",
                            case
                              when date_trunc(
                                'month',
                                (
                                  (
                                    (
                                      ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date + 15
                                )::timestamp
                              )::date <= (
                                (
                                  ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                ) + interval '12 hours'
                              )::date then records
                              else - records
                            end as "records",
                            case
                              when date_trunc(
                                'month',
                                (
                                  (
                                    (
                                      ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date + 15
                                )::timestamp
                              )::date <= (
                                (
                                  ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                ) + interval '12 hours'
                              )::date then "total"
                              else - "total"
                            end as "total"
                          from
                            "transacoes_rollup"
                          where
                            (
                              grain = 'day'
                              and "estabelecimento_id" = :estabelecimento_id
                              and starts_on >= least(
                                date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date,
                                (
                                  (
                                    ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date
                              )
                              and starts_on < greatest(
                                date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date,
                                (
                                  (
                                    ((:anterior_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date
                              )
                            )
                          union all
                          select
                            "estabelecimento_id",
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
                        ) as visits
                      group by
                        estabelecimento_id
                      having
                        sum(records) > 0
                    ) as units
                    left join "estabelecimentos" on "estabelecimentos"."salon_id" = estabelecimento_id
                  order by
                    valor_total desc,
                    estabelecimento_id
                ) as record
            ),
            ''
          ) || ']}' as body
      ) as earlier
    offset
      0
  ) as finished
