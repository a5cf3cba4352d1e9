part (
  vendas_produto, select id
  from "vendas_facts"
  where
    (
      (
        "cliente_id" = :cliente_id
        and "produto_id" = :produto_id
        and "estabelecimento_id" = :estabelecimento_id
        and "origem" = :origem
      )
      and at >= :data_inicio
      and at > '-infinity'
      and at <= :data_fim
      and id > :after::bigint
      and id <= :to::bigint
    ),
    "vendas_produto"."origem" as "origem", "vendas_produto"."transacao_id" as "transacao_id",
    "vendas_produto"."estabelecimento_id" as "estabelecimento_id",
    (
      select "estabelecimentos"."nome"
      from "estabelecimentos"
      where "estabelecimentos"."salon_id" = "vendas_produto"."estabelecimento_id"
    ) as "unidade_nome",
    "vendas_produto"."data_hora" as "data_hora", "vendas_produto"."cliente_id" as "cliente_id",
    "vendas_produto"."cliente_nome" as "cliente_nome", "vendas_produto"."produto_id" as "produto_id",
    "vendas_produto"."produto_nome" as "produto_nome", "vendas_produto"."quantidade"::text as "quantidade",
    "vendas_produto"."valor_unitario"::text as "valor_unitario",
    "vendas_produto"."valor_total"::text as "valor_total",
    "vendas_produto"."profissional_id" as "profissional_id",
    "vendas_produto"."forma_pagamento" as "forma_pagamento", "vendas_produto"."id" as "id"
)
