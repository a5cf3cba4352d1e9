select
  set_config('salon.settled_id', settled_id ('lancamentos')::text, true)
;

select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    select
      case
        when octet_length(body) <= 4194304
        or :per_page::integer = 1 then body
      end as body,
      link_value
    from
      (
        select
          '{"data":[' || (
            coalesce(items, '') || (
              '],"pagination":{"per_page":' || :per_page::integer || ',"next_after_id":' || coalesce(next::text, 'null') || ',"has_more":' || (next is not null)::text || '}}'
            )
          ) as body,
          next
        from
          (
            select
              string_agg(item, ',') filter (
                where
                  number <= :per_page::integer
              ) as items,
              case
                when count(*) > :per_page::integer then max(id) filter (
                  where
                    number <= :per_page::integer
                )
              end as next
            from
              (
                select
                  "lancamentos"."id" as id,
                  row_number() over (
                    order by
                      "lancamentos"."id"
                  ) as number,
                  row_to_json(record)::text as item
                from
                  (
                    select
                      *
                    from
                      "lancamentos"
                    where
                      id > :after_id
                      and id <= current_setting('salon.settled_id')::bigint
                    order by
                      "lancamentos"."id" asc
                    limit
                      :per_page::integer + 1
                  ) as "lancamentos"
                  cross join lateral (
                    select
                      "lancamentos"."id" as "id",
                      "lancamentos"."salon_id" as "salon_id",
                      "lancamentos"."estabelecimento_id" as "estabelecimento_id",
                      "lancamentos"."raw_data" as "raw_data",
                      "lancamentos"."synced_at" as "synced_at",
                      "lancamentos"."sent_to_salon" as "sent_to_salon",
                      "lancamentos"."sent_at" as "sent_at"
                  ) as record
              ) as numbered
          ) as page_items
        offset
          0
      ) as page (body, link_value)
    offset
      0
  ) as finished
