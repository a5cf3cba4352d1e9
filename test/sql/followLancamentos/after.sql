select
  set_config('salon.settled_change', lancamentos_settled_change ()::text, true)
;

select
  *,
  md5(body) as tag
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
          '{"data":[' || coalesce(array_to_string(items[1::per_page::integer], ','), '') || '],"pagination":{"per_page":' || :per_page::integer || ',"next_after":"' || next || '","has_more":' || has_more::text || '}}' as body,
          case
            when has_more then next
          end as next
        from
          (
            select
              items,
              'lancamentos' || '.' || epoch || '.' || :begun::bigint || '.' || coalesce(numbers[least(:per_page::integer, cardinality(numbers))], :position::bigint) as next,
              coalesce(cardinality(numbers) > :per_page::integer, false) as has_more
            from
              change_feeds,
              (
                select
                  array_agg(
                    item
                    order by
                      change
                  ) as items,
                  array_agg(
                    change
                    order by
                      change
                  ) as numbers
                from
                  (
                    select
                      change,
                      '{"id":' || id || ',"removido":' || (registro is null)::text || ',"registro":' || coalesce(registro, 'null') || '}' as item
                    from
                      (
                        select
                          id,
                          change
                        from
                          "lancamentos_changes"
                        where
                          change > :position::bigint
                          and change <= current_setting('salon.settled_change')::bigint
                        order by
                          change
                        limit
                          :per_page::integer + 1
                      ) as entry
                      left join lateral (
                        select
                          row_to_json(record)::text as registro
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
                                  "lancamentos".id = entry.id
                              ) as "lancamentos"
                          ) as record
                        offset
                          0
                      ) as there on true
                  ) as delivered
              ) as read
            where
              (
                list = 'lancamentos'
                and epoch = :epoch
                and greatest(:begun::bigint, :position::bigint) between floor and coalesce(pg_sequence_last_value ('lancamentos_change_seq'::regclass), 0)
              )
          ) as page
        offset
          0
      ) as page (body, link_value)
    offset
      0
  ) as finished
