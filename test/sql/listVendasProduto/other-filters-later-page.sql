select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    select
      case
        when octet_length(body) <= 4194304
        or :per_page::bigint = 1 then body
      end as body,
      link_value
    from
      (
        select
          '{"data":[' || (
            coalesce(
              (
                select
                  string_agg(row_to_json(record)::text, ',')
                from
                  (
                    select
                      "vendas_produto"."origem" as "origem",
                      "vendas_produto"."transacao_id" as "transacao_id",
                      "vendas_produto"."estabelecimento_id" as "estabelecimento_id",
                      (
                        select
                          "estabelecimentos"."nome"
                        from
                          "estabelecimentos"
                        where
                          "estabelecimentos"."salon_id" = "vendas_produto"."estabelecimento_id"
                      ) as "unidade_nome",
                      "vendas_produto"."data_hora" as "data_hora",
                      "vendas_produto"."cliente_id" as "cliente_id",
                      "vendas_produto"."cliente_nome" as "cliente_nome",
                      "vendas_produto"."produto_id" as "produto_id",
                      "vendas_produto"."produto_nome" as "produto_nome",
                      "vendas_produto"."quantidade"::text as "quantidade",
                      "vendas_produto"."valor_unitario"::text as "valor_unitario",
                      "vendas_produto"."valor_total"::text as "valor_total",
                      "vendas_produto"."profissional_id" as "profissional_id",
                      "vendas_produto"."forma_pagamento" as "forma_pagamento"
                    from
                      (
                        select
                          "vendas_produto".*
                        from
                          (
                            with
                              target as materialized (
                                select
                                  :offset::bigint + (
                                    select
                                      coalesce(sum(records), 0)::bigint
                                    from
                                      (
                                        select
                                          records as "records"
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
                                              (
                                                (
                                                  (
                                                    ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                                  ) + interval '12 hours'
                                                )::date + 15
                                              )::timestamp
                                            )::date
                                          )
                                        union all
                                        select
                                          case
                                            when (
                                              (
                                                ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                              ) + interval '12 hours'
                                            )::date <= date_trunc(
                                              'month',
                                              (
                                                (
                                                  (
                                                    ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                                  ) + interval '12 hours'
                                                )::date + 15
                                              )::timestamp
                                            )::date then records
                                            else - records
                                          end as "records"
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
                                                      ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                                    ) + interval '12 hours'
                                                  )::date + 15
                                                )::timestamp
                                              )::date,
                                              (
                                                (
                                                  ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                                ) + interval '12 hours'
                                              )::date
                                            )
                                            and starts_on < greatest(
                                              date_trunc(
                                                'month',
                                                (
                                                  (
                                                    (
                                                      ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                                    ) + interval '12 hours'
                                                  )::date + 15
                                                )::timestamp
                                              )::date,
                                              (
                                                (
                                                  ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                                ) + interval '12 hours'
                                              )::date
                                            )
                                          )
                                        union all
                                        select
                                          case
                                            when ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz <= brasilia_midnight (
                                              (
                                                (
                                                  ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                                ) + interval '12 hours'
                                              )::date
                                            ) then 1
                                            else -1
                                          end as "records"
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
                                                    ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                                  ) + interval '12 hours'
                                                )::date
                                              ),
                                              ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz
                                            )
                                            and at < greatest(
                                              brasilia_midnight (
                                                (
                                                  (
                                                    ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz at time zone 'America/Sao_Paulo'
                                                  ) + interval '12 hours'
                                                )::date
                                              ),
                                              ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')::timestamptz
                                            )
                                          )
                                      ) as parts
                                  ) as n
                              ),
                              months as (
                                select
                                  starts_on,
                                  sum(records) as records,
                                  sum(sum(records)) over (
                                    order by
                                      starts_on desc
                                  ) - sum(records) as above
                                from
                                  "vendas_produto_rollup"
                                where
                                  (
                                    grain = 'month'
                                    and (
                                      "estabelecimento_id" = :estabelecimento_id
                                      and "origem" = :origem
                                    )
                                  )
                                group by
                                  starts_on
                              ),
                              month as materialized (
                                select
                                  starts_on,
                                  above
                                from
                                  months
                                where
                                  above <= (
                                    select
                                      n
                                    from
                                      target
                                  )
                                  and above + records > (
                                    select
                                      n
                                    from
                                      target
                                  )
                              ),
                              days as (
                                select
                                  starts_on,
                                  sum(records) as records,
                                  (
                                    select
                                      above
                                    from
                                      month
                                  ) + sum(sum(records)) over (
                                    order by
                                      starts_on desc
                                  ) - sum(records) as above
                                from
                                  "vendas_produto_rollup"
                                where
                                  (
                                    grain = 'day'
                                    and (
                                      "estabelecimento_id" = :estabelecimento_id
                                      and "origem" = :origem
                                    )
                                    and starts_on between (
                                      select
                                        starts_on
                                      from
                                        month
                                    ) and (
                                      select
                                        starts_on + 30
                                      from
                                        month
                                    )
                                    and date_trunc('month', (starts_on)::timestamp)::date = (
                                      select
                                        starts_on
                                      from
                                        month
                                    )
                                  )
                                group by
                                  starts_on
                              ),
                              day as materialized (
                                select
                                  case starts_on
                                    when '294276-12-31' then timestamptz '294276-12-31 23:59:59.999999Z'
                                    else brasilia_midnight (starts_on + 1) - interval '1 microsecond'
                                  end as ends,
                                  (
                                    select
                                      n
                                    from
                                      target
                                  ) - above as skip
                                from
                                  days
                                where
                                  above <= (
                                    select
                                      n
                                    from
                                      target
                                  )
                                  and above + records > (
                                    select
                                      n
                                    from
                                      target
                                  )
                              )
                            select
                              id
                            from
                              "vendas_produto_rollup_source"
                            where
                              (
                                (
                                  "estabelecimento_id" = :estabelecimento_id
                                  and "origem" = :origem
                                )
                                and at >= :data_inicio
                                and at > '-infinity'
                                and at <= (
                                  select
                                    ends
                                  from
                                    day
                                )
                              )
                            order by
                              at desc,
                              id desc
                            limit
                              :per_page::bigint
                            offset
                              (
                                select
                                  skip
                                from
                                  day
                              )
                          ) as page_ids
                          join "vendas_produto" using (id)
                        order by
                          coalesce("vendas_produto"."data_hora", '-infinity') desc,
                          "vendas_produto"."id" desc
                      ) as "vendas_produto"
                  ) as record
              ),
              ''
            ) || (
              '],"pagination":{"page":' || :page || ',"per_page":' || :per_page::bigint || ',"total":' || total || ',"total_pages":' || (total + :per_page::bigint - 1) / :per_page::bigint || '}}'
            )
          ) as body,
          total
        from
          (
            select
              coalesce(sum(records), 0)::bigint
            from
              (
                select
                  records as "records"
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
                  case
                    when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                      'month',
                      (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                    )::date then records
                    else - records
                  end as "records"
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
                  case
                    when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then 1
                    else -1
                  end as "records"
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
              ) as parts
          ) as counted (total)
        offset
          0
      ) as page (body, link_value)
    offset
      0
  ) as finished
