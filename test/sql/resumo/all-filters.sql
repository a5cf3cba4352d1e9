select
  case
    when octet_length(body) <= 4194304 then body
  end as body,
  encode(
    sha256(
      convert_to(
        case
          when octet_length(body) <= 4194304 then body
          else left(body, 1)
        end,
        'UTF8'
      )
    ),
    'hex'
  ) as tag
from
  (
    select
      '{' || '"transacoes":' || (
        select
          '{' || '"total":' || visitas || ',"valor_total":' || valor_total || ',"enviadas_erp":' || enviadas || ',"pendentes_erp":' || pendentes || '}'
        from
          (
            select
              coalesce(sum(records), 0) as "visitas",
              coalesce(round(sum("visitas_facts"."total"), 2), 0.00) as "valor_total",
              coalesce(
                sum(records) filter (
                  where
                    "visitas_facts"."sent_to_erp"
                ),
                0
              ) as "enviadas",
              coalesce(
                sum(records) filter (
                  where
                    not "visitas_facts"."sent_to_erp"
                ),
                0
              ) as "pendentes"
            from
              (
                select
                  "visitas_facts".*
                from
                  (
                    select
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
                  ) as "visitas_facts"
              ) as "visitas_facts"
          ) as visits
      ) || ',"lancamentos":' || (
        select
          '{' || '"total":' || lancamentos || '}'
        from
          (
            select
              coalesce(sum(records), 0) as "lancamentos"
            from
              (
                select
                  "lancamentos_facts".*
                from
                  (
                    select
                      records as "records"
                    from
                      "lancamentos_rollup"
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
                      case
                        when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                          'month',
                          (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                        )::date then records
                        else - records
                      end as "records"
                    from
                      "lancamentos_rollup"
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
                      case
                        when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then 1
                        else -1
                      end as "records"
                    from
                      "lancamentos_rollup_source"
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
                      end as "records"
                    from
                      "lancamentos_rollup"
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
                      case
                        when brasilia_midnight (
                          (
                            (
                              ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                            ) + interval '12 hours'
                          )::date
                        ) <= ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then 1
                        else -1
                      end as "records"
                    from
                      "lancamentos_rollup_source"
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
                  ) as "lancamentos_facts"
              ) as "lancamentos_facts"
          ) as entries
      ) || ',"jobs_ultimas_24h":' || (
        select
          '{' || '"concluidos":' || count(*) filter (
            where
              "jobs_log"."status" = 'completed'
          ) || ',"falhados":' || count(*) filter (
            where
              "jobs_log"."status" = 'failed'
          ) || '}'
        from
          "jobs_log"
        where
          "jobs_log"."created_at" between now() - interval '24 hours' and now()
      ) || '}' as body
    offset
      0
  ) as finished
