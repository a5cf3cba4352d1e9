select
  '{"data":[' || (
    coalesce(items, '') || (
      '],"pagination":{"per_page":' || :per_page::integer || ',"next_after":"' || next || '","has_more":' || has_more::text || '}}'
    )
  ) as body,
  case when has_more then next end as link_value
from (
  select
    items,
    'table' || '.' || epoch || '.' || :copyStart::bigint || '.' || coalesce(last, :position::bigint) as next,
    has_more
  from
    change_feeds,
    (
      select
        string_agg(item, ',') filter (where number <= :per_page::integer) as items,
        max(change) filter (where number <= :per_page::integer) as last,
        count(*) > :per_page::integer as has_more
      from (
        select *, row_number() over (order by change) as number
        from (
          select
            change,
            '{"id":' || id || ',"removido":' || (registro is null)::text || ',"registro":' || coalesce(registro, 'null') || '}' as item
          from (
            select id, change
            from "table_changes"
            where
              change > :position::bigint
              and change <= current_setting('salon.settled_change')::bigint
            order by change
            limit :per_page::integer + 1
          ) as entry
          left join lateral (
            select row_to_json(record)::text as registro
            from (
              select columns
              from (select * from "table" where "table".id = entry.id) as "table"
            ) as record
            offset 0
          ) as current_record on true
        ) as changed_items
      ) as numbered
    ) as page_items
  where
    (
      list = 'table'
      and epoch = :epoch
      and greatest(:copyStart::bigint, :position::bigint) between oldest_kept_change and coalesce(pg_sequence_last_value ('table_change_seq'::regclass), 0)
    )
) as page
