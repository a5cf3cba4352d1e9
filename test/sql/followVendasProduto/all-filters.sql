select
  set_config('salon.settled_change', settled_change ('vendas_produto')::text, true)
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
          'vendas-produto' || '.' || epoch || '.' || :copyStart::bigint || '.' || coalesce(last, :position::bigint) as next,
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
                          "vendas_produto_changes"
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
                                  *
                                from
                                  "vendas_produto"
                                where
                                  "vendas_produto".id = entry.id
                              ) as "vendas_produto"
                          ) as record
                        offset
                          0
                      ) as current_record on true
                  ) as changed_items
              ) as numbered
          ) as page_items
        where
          (
            list = 'vendas_produto'
            and epoch = :epoch
            and greatest(:copyStart::bigint, :position::bigint) between oldest_kept_change and coalesce(pg_sequence_last_value ('vendas_produto_change_seq'::regclass), 0)
          )
      ) as page
    offset
      0
  ) as finished
