part (
  estabelecimentos, select id
  from "estabelecimentos"
  where
    (("ativo" = :ativo and "salon_id" = :salon_id) and id > :after::bigint and id <= :to::bigint),
    "estabelecimentos"."id" as "id", "estabelecimentos"."nome" as "nome",
    "estabelecimentos"."salon_id" as "salon_id", "estabelecimentos"."erp_id" as "erp_id",
    "estabelecimentos"."erp_centro_custo_id" as "erp_centro_custo_id",
    "estabelecimentos"."ativo" as "ativo", "estabelecimentos"."created_at" as "created_at"
)
