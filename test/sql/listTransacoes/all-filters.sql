select
  case
    when body_fits
    or :per_page::bigint = 1 then body
  end as body,
  "link_value",
  sha256_of (
    case
      when body_fits
      or :per_page::bigint = 1 then body
      else left(body, 1)
    end
  ) as tag
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
                          "cliente_salon_id" = :cliente_salon_id
                          and "estabelecimento_id" = :estabelecimento_id
                          and "sent_to_erp" = :sent_to_erp
                        )
                        and (
                          "transacoes"."data_hora" >= :data_inicio
                          and "transacoes"."data_hora" > '-infinity'
                          and "transacoes"."data_hora" <= :data_fim
                        )
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
      total as link_value
    from
      (
        select
          count(*)
        from
          "transacoes"
        where
          (
            (
              "cliente_salon_id" = :cliente_salon_id
              and "estabelecimento_id" = :estabelecimento_id
              and "sent_to_erp" = :sent_to_erp
            )
            and (
              "transacoes"."data_hora" >= :data_inicio
              and "transacoes"."data_hora" > '-infinity'
              and "transacoes"."data_hora" <= :data_fim
            )
          )
      ) as counted (total)
    offset
      0
  ) as finished
