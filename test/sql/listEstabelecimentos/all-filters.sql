select body_if (body_fits)
from (
  select
    '{"data":[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (
          select
            "estabelecimentos"."id" as "id", "estabelecimentos"."nome" as "nome",
            "estabelecimentos"."salon_id" as "salon_id", "estabelecimentos"."erp_id" as "erp_id",
            "estabelecimentos"."erp_centro_custo_id" as "erp_centro_custo_id",
            "estabelecimentos"."ativo" as "ativo", "estabelecimentos"."created_at" as "created_at"
          from (
            select *
            from "estabelecimentos"
            where ("ativo" = :ativo and "salon_id" = :salon_id)
            order by by_name ("estabelecimentos"."nome"), "estabelecimentos"."id" asc
          ) as "estabelecimentos"
        ) as record
      ),
      ''
    ) || ']}' as body
  offset 0
) as finished
