select "link_value", body_if (body_fits or :per_page::bigint = 1)
from (
  page (
    select columns_of_vendas_produto ()
    from (
      select *
      from "vendas_produto"
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
      order by coalesce("vendas_produto"."data_hora", '-infinity') desc, "vendas_produto"."id" desc
      limit :per_page::bigint
    ) as "vendas_produto",
    select count(*)
    from "vendas_produto"
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
  )
  offset 0
) as finished
