part (
  produtos, select id
  from "produtos"
  where
    (
      ("estabelecimento_id" = :estabelecimento_id and "salon_id" = :salon_id)
      and "produtos"."nome" ~ any (:nome::text[])
      and id > :after::bigint
      and id <= :to::bigint
    ),
    "produtos"."salon_id" as "salon_id",
    "produtos"."estabelecimento_id" as "estabelecimento_id", "produtos"."nome" as "nome",
    "produtos"."raw_data" as "raw_data", "produtos"."synced_at" as "synced_at", "produtos"."id" as "id"
)
