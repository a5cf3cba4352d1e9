select
  set_config('salon.settled_change', settled_change ('lancamentos')::text, true)
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
              '],"pagination":{"per_page":' || :per_page::integer || ',"next_after":"' || next || '","has_more":' || has_more::text || '}}'
            )
          ) as body,
          case
            when has_more then next
          end as next
        from
          (
            select
              items,
              'lancamentos' || '.' || epoch || '.' || greatest(
                oldest_kept_change,
                (
                  select
                    max(change)
                  from
                    "lancamentos_changes"
                  where
                    change <= current_setting('salon.settled_change')::bigint
                )
              ) || '.' || coalesce(last, 0::bigint) as next,
              has_more
            from
              change_feeds,
              (
                select
                  string_agg(item, ',') filter (
                    where
                      number <= :per_page::integer
                  ) as items,
                  max(change) filter (
                    where
                      number <= :per_page::integer
                  ) as last,
                  count(*) > :per_page::integer as has_more
                from
                  (
                    select
                      *,
                      row_number() over (
                        order by
                          change
                      ) as number
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
                              change > 0::bigint
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
                          ) as current_record on true
                      ) as changed_items
                  ) as numbered
              ) as page_items
            where
              list = 'lancamentos'
          ) as page
        offset
          0
      ) as page (body, link_value)
    offset
      0
  ) as finished
