select
  case
    when body_fits
    or true then body
  end as body,
  sha256_of (
    case
      when body_fits
      or true then body
      else left(body, 1)
    end
  ) as tag
from
  (
    select
      row_to_json(record)::text as body
    from
      (
        select
          "lancamentos"."id" as "id",
          "lancamentos"."salon_id" as "salon_id",
          "lancamentos"."estabelecimento_id" as "estabelecimento_id",
          "lancamentos"."raw_data" as "raw_data",
          "lancamentos"."synced_at" as "synced_at",
          "lancamentos"."sent_to_salon" as "sent_to_salon",
          "lancamentos"."sent_at" as "sent_at"
        from
          (
            select
              *
            from
              "lancamentos"
            where
              "lancamentos"."salon_id" = :id
          ) as "lancamentos"
      ) as record
    offset
      0
  ) as finished
