select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
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
                quantidade,
                valor_total,
                quantidade_profissional,
                valor_profissional
              from
                (
                  select
                    estabelecimento_id,
                    trim_scale(sum(quantidade)) as quantidade,
                    round(sum(valor_total), 2) as valor_total,
                    trim_scale(sum(quantidade_profissional)) as quantidade_profissional,
                    round(sum(valor_profissional), 2) as valor_profissional
                  from
                    (
                      select
                        "estabelecimento_id",
                        records as "records",
                        "quantidade" as "quantidade",
                        "valor_total" as "valor_total",
                        "quantidade_profissional" as "quantidade_profissional",
                        "valor_profissional" as "valor_profissional"
                      from
                        "vendas_produto_rollup"
                      where
                        (
                          grain = 'month'
                          and (
                            "estabelecimento_id" = :estabelecimento_id
                            and "origem" = :origem
                          )
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
                          )::date then "quantidade"
                          else - "quantidade"
                        end as "quantidade",
                        case
                          when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                            'month',
                            (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                          )::date then "valor_total"
                          else - "valor_total"
                        end as "valor_total",
                        case
                          when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                            'month',
                            (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                          )::date then "quantidade_profissional"
                          else - "quantidade_profissional"
                        end as "quantidade_profissional",
                        case
                          when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                            'month',
                            (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                          )::date then "valor_profissional"
                          else - "valor_profissional"
                        end as "valor_profissional"
                      from
                        "vendas_produto_rollup"
                      where
                        (
                          grain = 'day'
                          and (
                            "estabelecimento_id" = :estabelecimento_id
                            and "origem" = :origem
                          )
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
                        case
                          when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then 1
                          else -1
                        end as "records",
                        case
                          when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then "quantidade"
                          else - "quantidade"
                        end as "quantidade",
                        case
                          when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then "valor_total"
                          else - "valor_total"
                        end as "valor_total",
                        case
                          when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then "quantidade_profissional"
                          else - "quantidade_profissional"
                        end as "quantidade_profissional",
                        case
                          when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then "valor_profissional"
                          else - "valor_profissional"
                        end as "valor_profissional"
                      from
                        "vendas_produto_rollup_source"
                      where
                        (
                          (
                            "estabelecimento_id" = :estabelecimento_id
                            and "origem" = :origem
                          )
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
                          )::date then "quantidade"
                          else - "quantidade"
                        end as "quantidade",
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
                          )::date then "valor_total"
                          else - "valor_total"
                        end as "valor_total",
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
                          )::date then "quantidade_profissional"
                          else - "quantidade_profissional"
                        end as "quantidade_profissional",
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
                          )::date then "valor_profissional"
                          else - "valor_profissional"
                        end as "valor_profissional"
                      from
                        "vendas_produto_rollup"
                      where
                        (
                          grain = 'day'
                          and (
                            "estabelecimento_id" = :estabelecimento_id
                            and "origem" = :origem
                          )
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
                          ) <= ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then "quantidade"
                          else - "quantidade"
                        end as "quantidade",
                        case
                          when brasilia_midnight (
                            (
                              (
                                ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                              ) + interval '12 hours'
                            )::date
                          ) <= ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then "valor_total"
                          else - "valor_total"
                        end as "valor_total",
                        case
                          when brasilia_midnight (
                            (
                              (
                                ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                              ) + interval '12 hours'
                            )::date
                          ) <= ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then "quantidade_profissional"
                          else - "quantidade_profissional"
                        end as "quantidade_profissional",
                        case
                          when brasilia_midnight (
                            (
                              (
                                ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                              ) + interval '12 hours'
                            )::date
                          ) <= ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then "valor_profissional"
                          else - "valor_profissional"
                        end as "valor_profissional"
                      from
                        "vendas_produto_rollup_source"
                      where
                        (
                          (
                            "estabelecimento_id" = :estabelecimento_id
                            and "origem" = :origem
                          )
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
                    ) as lines
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
    offset
      0
  ) as finished
