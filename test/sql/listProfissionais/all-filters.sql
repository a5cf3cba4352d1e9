select "link_value", body_if (body_fits or :per_page::bigint = 1)
from (
  page (
    select
      "profissionais"."id" as "id",
      "profissionais"."nome" as "nome", "profissionais"."salon_id" as "salon_id",
      "profissionais"."salon_estabelecimento_id" as "salon_estabelecimento_id",
      "profissionais"."erp_centro_custo_id" as "erp_centro_custo_id",
      "profissionais"."erp_unidade_negocio_id" as "erp_unidade_negocio_id",
      "profissionais"."cpf" as "cpf", "profissionais"."ativo" as "ativo",
      "profissionais"."created_at" as "created_at", "profissionais"."updated_at" as "updated_at"
    from (
      select *
      from "profissionais"
      where
        ("ativo" = :ativo and "salon_estabelecimento_id" = :estabelecimento_id and "salon_id" = :salon_id)
      order by by_name ("profissionais"."nome"), "profissionais"."id" asc
      limit :per_page::bigint
    ) as "profissionais",
    select count(*)
    from "profissionais"
    where ("ativo" = :ativo and "salon_estabelecimento_id" = :estabelecimento_id and "salon_id" = :salon_id)
  )
  offset 0
) as finished
