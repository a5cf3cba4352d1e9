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
                          *
                        from
                          "transacoes"
                        where
                          (
                            (
                              "estabelecimento_id" = :estabelecimento_id
                              and "sent_to_erp" = :sent_to_erp
                            )
                            and "transacoes"."data_hora" >= :data_inicio
                            and "transacoes"."data_hora" > '-infinity'
                            and "transacoes"."data_hora" <= :data_fim
                          )
                        order by
                          "transacoes"."data_hora" desc,
                          "transacoes"."id" desc
                        limit
                          :per_page::bigint
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
