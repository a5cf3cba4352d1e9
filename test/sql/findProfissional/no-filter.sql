select body_if (body_fits or true)
from (
  select row_to_json(record)::text as body
  from (
    select
      "profissionais"."id" as "id",
      "profissionais"."nome" as "nome", "profissionais"."salon_id" as "salon_id",
      "profissionais"."salon_estabelecimento_id" as "salon_estabelecimento_id",
      "profissionais"."erp_centro_custo_id" as "erp_centro_custo_id",
      "profissionais"."erp_unidade_negocio_id" as "erp_unidade_negocio_id",
      "profissionais"."cpf" as "cpf", "profissionais"."ativo" as "ativo",
      "profissionais"."created_at" as "created_at", "profissionais"."updated_at" as "updated_at"
    from (select * from "profissionais" where "profissionais"."id" = :id) as "profissionais"
  ) as record
  offset 0
) as finished
