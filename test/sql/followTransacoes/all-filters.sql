select
  set_config('salon.settled_change', settled_change ('transacoes')::text, true)
;

select
  case
    when body_fits
    or :per_page::integer = 1 then body
  end as body,
  "link_value",
  sha256_of (
    case
      when body_fits
      or :per_page::integer = 1 then body
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
        coalesce(items, '') || (
          '],"pagination":{"per_page":' || :per_page::integer || ',"next_after":"' || next || '","has_more":' || has_more::text || '}}'
        )
      ) as body,
      case
        when has_more then next
      end as link_value
    from
      (
        select
          items,
          'transacoes' || '.' || epoch || '.' || :copyStart::bigint || '.' || coalesce(last, :position::bigint) as next,
          has_more
        from
          change_feeds,
          (
            select
              string_agg(item, ',') filter (
                where
                  number <= :per_page::integer
              ) as items,
              max(change) filter (
                where
                  number <= :per_page::integer
              ) as last,
              count(*) > :per_page::integer as has_more
            from
              (
                select
                  *,
                  row_number() over (
                    order by
                      change
                  ) as number
                from
                  (
                    select
                      change,
                      '{"id":' || id || ',"removido":' || (registro is null)::text || ',"registro":' || coalesce(registro, 'null') || '}' as item
                    from
                      (
                        select
                          id,
                          change
                        from
                          "transacoes_changes"
                        where
                          change > :position::bigint
                          and change <= current_setting('salon.settled_change')::bigint
                        order by
                          change
                        limit
                          :per_page::integer + 1
                      ) as entry
                      left join lateral (
                        select
                          row_to_json(record)::text as registro
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
                                  "transacoes".id = entry.id
                              ) as "transacoes"
                          ) as record
                        offset
                          0
                      ) as current_record on true
                  ) as changed_items
              ) as numbered
          ) as page_items
        where
          (
            list = 'transacoes'
            and epoch = :epoch
            and greatest(:copyStart::bigint, :position::bigint) between oldest_kept_change and coalesce(pg_sequence_last_value ('transacoes_change_seq'::regclass), 0)
          )
      ) as page
    offset
      0
  ) as finished
