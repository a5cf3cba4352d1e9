select
  case
    when octet_length(body) <= 4194304
    or true then body
  end as body,
  encode(
    sha256(
      convert_to(
        case
          when octet_length(body) <= 4194304
          or true then body
          else left(body, 1)
        end,
        'UTF8'
      )
    ),
    'hex'
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
