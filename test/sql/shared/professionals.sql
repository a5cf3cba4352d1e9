professionals as materialized (
  select
    (
      select jsonb_object_agg(unit, people)
      from (
        select
          "profissionais"."salon_estabelecimento_id" as unit,
          jsonb_object_agg(
            "profissionais"."salon_id",
            jsonb_build_object('profissional_nome', "profissionais"."nome", 'erp_centro_custo_id', "profissionais"."erp_centro_custo_id")
            order by "profissionais"."ativo", "profissionais"."id" desc
          ) as people
        from "profissionais"
        where
          "profissionais"."salon_estabelecimento_id" is not null
          and "profissionais"."salon_id" in (
            select "profissionais"."salon_id"
            from "profissionais"
            group by "profissionais"."salon_id"
            having count(*) > 1
          )
        group by "profissionais"."salon_estabelecimento_id"
      ) as units
    ) as by_unit,
    (
      select
        jsonb_object_agg(
          "profissionais"."salon_id",
          jsonb_build_object('profissional_nome', "profissionais"."nome", 'erp_centro_custo_id', "profissionais"."erp_centro_custo_id")
          order by "profissionais"."ativo", "profissionais"."id" desc
        )
      from "profissionais"
      where "profissionais"."salon_id" is not null
    ) as anywhere
)
