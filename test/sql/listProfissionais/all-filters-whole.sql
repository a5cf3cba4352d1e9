part (
  profissionais, select id
  from "profissionais"
  where
    (
      ("ativo" = :ativo and "salon_estabelecimento_id" = :estabelecimento_id and "salon_id" = :salon_id)
      and id > :after::bigint
      and id <= :to::bigint
    ),
    "profissionais"."id" as "id", "profissionais"."nome" as "nome", "profissionais"."salon_id" as "salon_id",
    "profissionais"."salon_estabelecimento_id" as "salon_estabelecimento_id",
    "profissionais"."erp_centro_custo_id" as "erp_centro_custo_id",
    "profissionais"."erp_unidade_negocio_id" as "erp_unidade_negocio_id",
    "profissionais"."cpf" as "cpf", "profissionais"."ativo" as "ativo",
    "profissionais"."created_at" as "created_at", "profissionais"."updated_at" as "updated_at"
)
