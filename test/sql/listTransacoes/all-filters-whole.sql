with
  professionals () part (
    transacoes, select id
    from "visitas_facts"
    where
      (
        (
          "cliente_salon_id" = :cliente_salon_id
          and "estabelecimento_id" = :estabelecimento_id
          and "sent_to_erp" = :sent_to_erp
        )
        and at >= :data_inicio
        and at > '-infinity'
        and at <= :data_fim
        and id > :after::bigint
        and id <= :to::bigint
      ),
      "transacoes"."salon_id" as "salon_id", "transacoes"."estabelecimento_id" as "estabelecimento_id",
      "transacoes"."total"::text as "total", "transacoes"."data_hora" as "data_hora",
      "transacoes"."cliente_salon_id" as "cliente_salon_id", "transacoes"."cliente_nome" as "cliente_nome",
      "transacoes"."forma_pagamento_principal" as "forma_pagamento_principal",
      "transacoes"."valor_pagamento"::text as "valor_pagamento",
      "transacoes"."parcelas" as "parcelas", "transacoes"."qtd_servicos" as "qtd_servicos",
      case
        when jsonb_typeof("transacoes"."servicos") = 'array' then (
          select
            coalesce(
              json_agg(
                case
                  when jsonb_typeof(service) = 'object' then service || coalesce(
                    (
                      select by_unit
                      from professionals
                    ) -> "transacoes"."estabelecimento_id" -> (service ->> 'idProfissionalQueRealizouServico'),
                    (select anywhere from professionals) -> (service ->> 'idProfissionalQueRealizouServico'),
                    '{"profissional_nome": null, "erp_centro_custo_id": null}'
                  )
                  else service
                end
              ),
              '[]'
            )
          from (select jsonb_array_elements("transacoes"."servicos") as service) as services
        )
        else "transacoes"."servicos"::json
      end as "servicos", "transacoes"."sent_to_erp" as "sent_to_erp",
      "transacoes"."synced_at" as "synced_at", "transacoes"."id" as "id"
  )
