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
      '{"data":[' || coalesce(
        (
          select
            string_agg(row_to_json(record)::text, ',')
          from
            (
              select
                forms.forma_pagamento,
                visitas as total_transacoes,
                valor_total,
                ticket_medio,
                nullif("taxas_cartao"."taxa_cobrada_profissional", 'NaN') as taxa_cobrada_profissional
              from
                (
                  select
                    "key_0" as "forma_pagamento",
                    coalesce(sum(records), 0) as "visitas",
                    coalesce(round(sum("visitas_facts"."total"), 2), 0.00) as "valor_total",
                    round(sum("visitas_facts"."total") / nullif(sum(records), 0), 2) as "ticket_medio"
                  from
                    (
                      select
                        "visitas_facts".*,
                        "visitas_facts"."forma_pagamento" as "key_0"
                      from
                        (
                          select
                            "forma_pagamento",
                            records as "records",
                            "total" as "total"
                          from
                            "transacoes_forma_rollup"
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
                            "forma_pagamento",
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
                            "transacoes_forma_rollup"
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
                            "forma_pagamento",
                            case
                              when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then 1
                              else -1
                            end as "records",
                            case
                              when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then "total"
                              else - "total"
                            end as "total"
                          from
                            "transacoes_forma_rollup_source"
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
                            "forma_pagamento",
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
                            "transacoes_forma_rollup"
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
                            "forma_pagamento",
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
                            "transacoes_forma_rollup_source"
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
                  group by
                    "key_0"
                  having
                    sum(records) > 0
                ) as forms
                left join "taxas_cartao" on "taxas_cartao"."forma_pagamento" = forms.forma_pagamento
              order by
                valor_total desc,
                forms.forma_pagamento
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
