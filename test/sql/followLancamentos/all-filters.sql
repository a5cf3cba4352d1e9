select
  set_config('salon.settled_change', settled_change ('lancamentos')::text, true)
;

select
  case
    when body_fits
    or :per_page::integer = 1 then body
  end as body,
  "link_value",
  sha256_of (
    case
      when body_fits
      or :per_page::integer = 1 then body
      else left(body, 1)
    end
  ) as tag
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
      end as link_value
    from
      (
        select
          items,
          'lancamentos' || '.' || epoch || '.' || :copyStart::bigint || '.' || coalesce(last, :position::bigint) as next,
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
                      ) as current_record on true
                  ) as changed_items
              ) as numbered
          ) as page_items
        where
          (
            list = 'lancamentos'
            and epoch = :epoch
            and greatest(:copyStart::bigint, :position::bigint) between oldest_kept_change and coalesce(pg_sequence_last_value ('lancamentos_change_seq'::regclass), 0)
          )
      ) as page
    offset
      0
  ) as finished
