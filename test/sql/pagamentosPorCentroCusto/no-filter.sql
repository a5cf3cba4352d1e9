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
                id_centro_custo,
                sum(records) as total_pagamentos,
                round(sum(valor), 2) as valor_total,
                coalesce(
                  sum(records) filter (
                    where
                      situacao = 1
                  ),
                  0
                ) as pendentes,
                round(
                  coalesce(
                    sum(valor) filter (
                      where
                        situacao = 1
                    ),
                    0
                  ),
                  2
                ) as valor_pendente,
                sum(overdue) as vencidos,
                round(sum(overdue_value), 2) as valor_vencido,
                sum(sem_valor) as sem_valor
              from
                (
                  select
                    *,
                    0 as overdue,
                    0 as overdue_value
                  from
                    (
                      select
                        "id_centro_custo",
                        "situacao",
                        records as "records",
                        "valor" as "valor",
                        "sem_valor" as "sem_valor"
                      from
                        "pagamentos_por_centro_rollup"
                      where
                        grain = 'all'
                    ) as payments
                  union all
                  select
                    id_centro_custo,
                    situacao,
                    0,
                    0,
                    0,
                    records,
                    valor
                  from
                    (
                      select
                        "id_centro_custo",
                        "situacao",
                        records as "records",
                        "valor" as "valor",
                        "sem_valor" as "sem_valor"
                      from
                        "pagamentos_por_centro_rollup"
                      where
                        (
                          grain = 'month'
                          and starts_on > '-infinity'
                          and starts_on < date_trunc(
                            'month',
                            (
                              (
                                (
                                  brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                                )::date + 1
                              ) + 15
                            )::timestamp
                          )::date
                        )
                      union all
                      select
                        "id_centro_custo",
                        "situacao",
                        case
                          when date_trunc(
                            'month',
                            (
                              (
                                (
                                  brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                                )::date + 1
                              ) + 15
                            )::timestamp
                          )::date <= (
                            (
                              brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                            )::date + 1
                          ) then records
                          else - records
                        end as "records",
                        case
                          when date_trunc(
                            'month',
                            (
                              (
                                (
                                  brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                                )::date + 1
                              ) + 15
                            )::timestamp
                          )::date <= (
                            (
                              brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                            )::date + 1
                          ) then "valor"
                          else - "valor"
                        end as "valor",
                        case
                          when date_trunc(
                            'month',
                            (
                              (
                                (
                                  brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                                )::date + 1
                              ) + 15
                            )::timestamp
                          )::date <= (
                            (
                              brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                            )::date + 1
                          ) then "sem_valor"
                          else - "sem_valor"
                        end as "sem_valor"
                      from
                        "pagamentos_por_centro_rollup"
                      where
                        (
                          grain = 'day'
                          and starts_on >= least(
                            date_trunc(
                              'month',
                              (
                                (
                                  (
                                    brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                                  )::date + 1
                                ) + 15
                              )::timestamp
                            )::date,
                            (
                              (
                                brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                              )::date + 1
                            )
                          )
                          and starts_on < greatest(
                            date_trunc(
                              'month',
                              (
                                (
                                  (
                                    brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                                  )::date + 1
                                ) + 15
                              )::timestamp
                            )::date,
                            (
                              (
                                brasilia_midnight ((now() at time zone 'America/Sao_Paulo')::date - 1)::timestamptz at time zone 'America/Sao_Paulo'
                              )::date + 1
                            )
                          )
                        )
                    ) as due
                  where
                    situacao = 1
                ) as payments
              group by
                id_centro_custo
              having
                sum(records) > 0
              order by
                valor_total desc,
                id_centro_custo
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
