select body_if (body_fits or true)
from (
  select row_to_json(record)::text as body
  from (
    select
      "transacoes"."id" as "id", "transacoes"."salon_id" as "salon_id",
      "transacoes"."estabelecimento_id" as "estabelecimento_id", "transacoes"."total"::text as "total",
      "transacoes"."data_hora" as "data_hora", "transacoes"."cliente_salon_id" as "cliente_salon_id",
      "transacoes"."cliente_nome" as "cliente_nome",
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
                      select
                        jsonb_build_object('profissional_nome', "profissionais"."nome", 'erp_centro_custo_id', "profissionais"."erp_centro_custo_id")
                      from "profissionais"
                      where "profissionais"."salon_id" = (service ->> 'idProfissionalQueRealizouServico')
                      order by
                        "profissionais"."salon_estabelecimento_id" is not distinct from "transacoes"."estabelecimento_id" desc,
                        "profissionais"."ativo" desc, "profissionais"."id"
                      limit 1
                    ),
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
      "transacoes"."synced_at" as "synced_at", "transacoes"."erp_recebimento_id" as "erp_recebimento_id",
      "transacoes"."sent_at" as "sent_at", "transacoes"."raw_data" as "raw_data"
    from (select * from "transacoes" where "transacoes"."salon_id" = :id) as "transacoes"
  ) as record
  offset 0
) as finished
