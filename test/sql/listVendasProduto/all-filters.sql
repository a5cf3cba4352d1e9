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
                      *
                    from
                      "vendas_produto"
                    where
                      (
                        (
                          "cliente_id" = :cliente_id
                          and "produto_id" = :produto_id
                          and "estabelecimento_id" = :estabelecimento_id
                          and "origem" = :origem
                        )
                        and (
                          coalesce("vendas_produto"."data_hora", '-infinity') >= :data_inicio
                          and coalesce("vendas_produto"."data_hora", '-infinity') > '-infinity'
                          and coalesce("vendas_produto"."data_hora", '-infinity') <= :data_fim
                        )
                      )
                    order by
                      coalesce("vendas_produto"."data_hora", '-infinity') desc,
                      "vendas_produto"."id" desc
                    limit
                      :per_page::bigint
                  ) as "vendas_produto"
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
          "vendas_produto"
        where
          (
            (
              "cliente_id" = :cliente_id
              and "produto_id" = :produto_id
              and "estabelecimento_id" = :estabelecimento_id
              and "origem" = :origem
            )
            and (
              coalesce("vendas_produto"."data_hora", '-infinity') >= :data_inicio
              and coalesce("vendas_produto"."data_hora", '-infinity') > '-infinity'
              and coalesce("vendas_produto"."data_hora", '-infinity') <= :data_fim
            )
          )
      ) as counted (total)
    offset
      0
  ) as finished
