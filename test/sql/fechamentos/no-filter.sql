select "link_value", body_if (body_fits or :per_page::bigint = 1)
from (
  page (
    select
      "fechamentos"."id" as "id",
      "fechamentos"."mes" as "mes", "fechamentos"."versao" as "versao", "fechamentos"."tipo" as "tipo",
      "fechamentos"."registrado_em" as "registrado_em", "fechamentos"."versao_servico" as "versao_servico",
      "fechamentos"."usuario" as "usuario", "fechamentos"."nota" as "nota",
      "fechamentos"."hash" as "hash", "fechamentos"."hash_anterior" as "hash_anterior"
    from (
      select *
      from "fechamentos"
      order by "fechamentos"."id" desc
      limit :per_page::bigint
    ) as "fechamentos",
    select count(*)
    from "fechamentos"
  )
  offset 0
) as finished
