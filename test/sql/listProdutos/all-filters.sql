select "link_value", body_if (body_fits or :per_page::bigint = 1)
from (
  page (
    select
      "produtos"."salon_id" as "salon_id",
      "produtos"."estabelecimento_id" as "estabelecimento_id", "produtos"."nome" as "nome",
      "produtos"."raw_data" as "raw_data", "produtos"."synced_at" as "synced_at"
    from (
      select *
      from "produtos"
      where
        (
          ("estabelecimento_id" = :estabelecimento_id and "salon_id" = :salon_id)
          and "produtos"."nome" ~ any (:nome::text[])
        )
      order by by_name ("produtos"."nome"), "produtos"."estabelecimento_id" asc, "produtos"."salon_id" asc
      limit :per_page::bigint
    ) as "produtos",
    select count(*)
    from "produtos"
    where
      (
        ("estabelecimento_id" = :estabelecimento_id and "salon_id" = :salon_id)
        and "produtos"."nome" ~ any (:nome::text[])
      )
  )
  offset 0
) as finished
