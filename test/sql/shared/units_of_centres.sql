select centre, unit
from (
  select distinct on (centre) centre, unit
  from (
    select centre, unit, 1 as choice
    from (
      select distinct
        on ("estabelecimentos"."erp_centro_custo_id") "estabelecimentos"."erp_centro_custo_id"::text as centre,
        "estabelecimentos"."salon_id" as unit
      from "estabelecimentos"
      where "estabelecimentos"."erp_centro_custo_id" is not null
      order by "estabelecimentos"."erp_centro_custo_id", "estabelecimentos"."id"
    ) as establishments
    union all
    select centre, unit, 2 as choice
    from (
      select
        "profissionais"."erp_centro_custo_id" as centre,
        min("profissionais"."salon_estabelecimento_id") as unit
      from "profissionais"
      where
        "profissionais"."erp_centro_custo_id" <> ''
        and "profissionais"."salon_estabelecimento_id" is not null
      group by 1
      having count(distinct "profissionais"."salon_estabelecimento_id") = 1
    ) as professionals
  ) as centres
  order by centre, choice
) as chosen
where unit is not null
