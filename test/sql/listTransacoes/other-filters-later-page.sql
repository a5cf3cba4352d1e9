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
        with
          professionals as materialized (
            select
              (
                select
                  jsonb_object_agg(unit, people)
                from
                  (
                    select
                      "profissionais"."salon_estabelecimento_id" as unit,
                      jsonb_object_agg(
                        "profissionais"."salon_id",
                        jsonb_build_object('profissional_nome', "profissionais"."nome", 'erp_centro_custo_id', "profissionais"."erp_centro_custo_id")
                        order by
                          "profissionais"."ativo",
                          "profissionais"."id" desc
                      ) as people
                    from
                      "profissionais"
                    where
                      "profissionais"."salon_estabelecimento_id" is not null
                      and "profissionais"."salon_id" in (
                        select
                          "profissionais"."salon_id"
                        from
                          "profissionais"
                        group by
                          "profissionais"."salon_id"
                        having
                          count(*) > 1
                      )
                    group by
                      "profissionais"."salon_estabelecimento_id"
                  ) as units
              ) as by_unit,
              (
                select
                  jsonb_object_agg(
                    "profissionais"."salon_id",
                    jsonb_build_object('profissional_nome', "profissionais"."nome", 'erp_centro_custo_id', "profissionais"."erp_centro_custo_id")
                    order by
                      "profissionais"."ativo",
                      "profissionais"."id" desc
                  )
                from
                  "profissionais"
                where
                  "profissionais"."salon_id" is not null
              ) as anywhere
          )
        select
          '{"data":[' || (
            coalesce(
              (
                select
                  string_agg(row_to_json(record)::text, ',')
                from
                  (
                    select
                      "transacoes"."salon_id" as "salon_id",
                      "transacoes"."estabelecimento_id" as "estabelecimento_id",
                      "transacoes"."total"::text as "total",
                      "transacoes"."data_hora" as "data_hora",
                      "transacoes"."cliente_salon_id" as "cliente_salon_id",
                      "transacoes"."cliente_nome" as "cliente_nome",
                      "transacoes"."forma_pagamento_principal" as "forma_pagamento_principal",
                      "transacoes"."valor_pagamento"::text as "valor_pagamento",
                      "transacoes"."parcelas" as "parcelas",
                      "transacoes"."qtd_servicos" as "qtd_servicos",
                      case
                        when jsonb_typeof("transacoes"."servicos") = 'array' then (
                          select
                            coalesce(
                              json_agg(
                                case
                                  when jsonb_typeof(service) = 'object' then service || coalesce(
                                    (
                                      select
                                        by_unit
                                      from
                                        professionals
                                    ) -> "transacoes"."estabelecimento_id" -> (service ->> 'idProfissionalQueRealizouServico'),
                                    (
                                      select
                                        anywhere
                                      from
                                        professionals
                                    ) -> (service ->> 'idProfissionalQueRealizouServico'),
                                    '{"profissional_nome": null, "erp_centro_custo_id": null}'
                                  )
                                  else service
                                end
                              ),
                              '[]'
                            )
                          from
                            (
                              select
                                jsonb_array_elements("transacoes"."servicos") as service
                            ) as services
                        )
                        else "transacoes"."servicos"::json
                      end as "servicos",
                      "transacoes"."sent_to_erp" as "sent_to_erp",
                      "transacoes"."synced_at" as "synced_at"
                    from
                      (
                        select
                          "transacoes".*
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
                                          "transacoes_rollup"
                                        where
                                          (
                                            grain = 'month'
                                            and (
                                              "estabelecimento_id" = :estabelecimento_id
                                              and "sent_to_erp" = :sent_to_erp
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
                                          "transacoes_rollup"
                                        where
                                          (
                                            grain = 'day'
                                            and (
                                              "estabelecimento_id" = :estabelecimento_id
                                              and "sent_to_erp" = :sent_to_erp
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
                                          "transacoes_rollup_source"
                                        where
                                          (
                                            (
                                              "estabelecimento_id" = :estabelecimento_id
                                              and "sent_to_erp" = :sent_to_erp
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
                                  "transacoes_rollup"
                                where
                                  (
                                    grain = 'month'
                                    and (
                                      "estabelecimento_id" = :estabelecimento_id
                                      and "sent_to_erp" = :sent_to_erp
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
                                  "transacoes_rollup"
                                where
                                  (
                                    grain = 'day'
                                    and (
                                      "estabelecimento_id" = :estabelecimento_id
                                      and "sent_to_erp" = :sent_to_erp
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
                              "transacoes_rollup_source"
                            where
                              (
                                (
                                  "estabelecimento_id" = :estabelecimento_id
                                  and "sent_to_erp" = :sent_to_erp
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
                          join "transacoes" using (id)
                        order by
                          "transacoes"."data_hora" desc,
                          "transacoes"."id" desc
                      ) as "transacoes"
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
                  "transacoes_rollup"
                where
                  (
                    grain = 'month'
                    and (
                      "estabelecimento_id" = :estabelecimento_id
                      and "sent_to_erp" = :sent_to_erp
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
                  "transacoes_rollup"
                where
                  (
                    grain = 'day'
                    and (
                      "estabelecimento_id" = :estabelecimento_id
                      and "sent_to_erp" = :sent_to_erp
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
                  "transacoes_rollup_source"
                where
                  (
                    (
                      "estabelecimento_id" = :estabelecimento_id
                      and "sent_to_erp" = :sent_to_erp
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
                  "transacoes_rollup"
                where
                  (
                    grain = 'day'
                    and (
                      "estabelecimento_id" = :estabelecimento_id
                      and "sent_to_erp" = :sent_to_erp
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
                  "transacoes_rollup_source"
                where
                  (
                    (
                      "estabelecimento_id" = :estabelecimento_id
                      and "sent_to_erp" = :sent_to_erp
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
