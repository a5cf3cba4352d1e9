select body_if (body_fits)
from (
  select
    '{' || '"profissionais":' || '[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (
          with professionals () people ()
          where mapped ->> 'erp_centro_custo_id' is null
          order by valor_total desc, estabelecimento_id, profissional_salon_id
        ) as record
      ),
      ''
    ) || ']' || ',"estabelecimentos":' || '[' || coalesce(
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
            where ("estabelecimentos"."ativo" and "estabelecimentos"."erp_centro_custo_id" is null)
            order by by_name ("estabelecimentos"."nome"), "estabelecimentos"."id" asc
          ) as "estabelecimentos"
        ) as record
      ),
      ''
    ) || ']' || '}' as body
  offset 0
) as finished
