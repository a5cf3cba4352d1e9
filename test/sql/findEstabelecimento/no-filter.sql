select body_if (body_fits or true)
from (
  select row_to_json(record)::text as body
  from (
    select
      "estabelecimentos"."id" as "id", "estabelecimentos"."nome" as "nome",
      "estabelecimentos"."salon_id" as "salon_id", "estabelecimentos"."erp_id" as "erp_id",
      "estabelecimentos"."erp_centro_custo_id" as "erp_centro_custo_id",
      "estabelecimentos"."ativo" as "ativo", "estabelecimentos"."created_at" as "created_at"
    from (select * from "estabelecimentos" where "estabelecimentos"."id" = :id) as "estabelecimentos"
  ) as record
  offset 0
) as finished
