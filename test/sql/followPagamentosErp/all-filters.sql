select
  set_config('salon.settled_change', settled_change ('pagamentos_erp')::text, true)
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
          'pagamentos-erp' || '.' || epoch || '.' || :copyStart::bigint || '.' || coalesce(last, :position::bigint) as next,
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
                          "pagamentos_erp_changes"
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
                                  *
                                from
                                  "pagamentos_erp"
                                where
                                  "pagamentos_erp".id = entry.id
                              ) as "pagamentos_erp"
                          ) as record
                        offset
                          0
                      ) as current_record on true
                  ) as changed_items
              ) as numbered
          ) as page_items
        where
          (
            list = 'pagamentos_erp'
            and epoch = :epoch
            and greatest(:copyStart::bigint, :position::bigint) between oldest_kept_change and coalesce(pg_sequence_last_value ('pagamentos_erp_change_seq'::regclass), 0)
          )
      ) as page
    offset
      0
  ) as finished
