select
  set_config('salon.settled_id', pagamentos_erp_settled_id ()::text, true)
;

select
  *,
  md5(body) as tag
from
  (
    select
      case
        when octet_length(body) <= 4194304
        or :per_page::integer = 1 then body
      end as body,
      link_value
    from
      (
        select
          '{"data":[' || coalesce(array_to_string(texts[1::per_page::integer], ','), '') || '],"pagination":{"per_page":' || :per_page::integer || ',"next_after_id":' || coalesce(next::text, 'null') || ',"has_more":' || (next is not null)::text || '}}' as body,
          next
        from
          (
            select
              array_agg(row_to_json(record)::text) as texts,
              case
                when count(*) > :per_page::integer then (array_agg(id)) [:per_page::integer]
              end as next
            from
              (
                select
                  "pagamentos_erp"."id" as "id",
                  "pagamentos_erp"."erp_id" as "erp_id",
                  "pagamentos_erp"."id_centro_custo" as "id_centro_custo",
                  "pagamentos_erp"."situacao" as "situacao",
                  "pagamentos_erp"."situacao" = 2 as "pago",
                  "pagamentos_erp"."nome_conta_classificacao" as "nome_conta_classificacao",
                  "pagamentos_erp"."id_plano_conta_classificacao" as "id_plano_conta_classificacao",
                  "pagamentos_erp"."valor"::text as "valor",
                  "pagamentos_erp"."data_vencimento" as "data_vencimento",
                  "pagamentos_erp"."data_pagamento" as "data_pagamento",
                  "pagamentos_erp"."descricao" as "descricao",
                  "pagamentos_erp"."raw_data" as "raw_data",
                  "pagamentos_erp"."synced_at" as "synced_at",
                  "pagamentos_erp"."updated_at" as "updated_at"
                from
                  (
                    select
                      "pagamentos_erp".*
                    from
                      (
                        select
                          id
                        from
                          "pagamentos_erp_rollup_source"
                        where
                          (
                            "id_centro_custo" = :id_centro_custo
                            and id > :after_id
                            and id <= current_setting('salon.settled_id')::bigint
                          )
                        order by
                          id
                        limit
                          (:per_page::integer + 1)
                      ) as found
                      join "pagamentos_erp" using (id)
                    order by
                      "pagamentos_erp"."id" asc
                  ) as "pagamentos_erp"
              ) as record
          ) as read
        offset
          0
      ) as page (body, link_value)
    offset
      0
  ) as finished
