"lancamentos"."id" as "id",
"lancamentos"."salon_id" as "salon_id", "lancamentos"."estabelecimento_id" as "estabelecimento_id",
"lancamentos"."raw_data" as "raw_data", "lancamentos"."synced_at" as "synced_at",
"lancamentos"."sent_to_salon" as "sent_to_salon", "lancamentos"."sent_at" as "sent_at"
