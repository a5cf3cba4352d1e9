select
  '{"data":[' || (
    coalesce(items, '') || (
      '],"pagination":{"per_page":' || :per_page::integer || ',"next_after_id":' || coalesce(next::text, 'null') || ',"has_more":' || (next is not null)::text || '}}'
    )
  ) as body,
  next as link_value
from (
  select
    string_agg(item, ',') filter (where number <= :per_page::integer) as items,
    case
      when count(*) > :per_page::integer then max(id) filter (where number <= :per_page::integer)
    end as next
  from (
    select
      "table"."id" as id, row_number() over (order by "table"."id") as number,
      row_to_json(record)::text as item
    from (rows) as "table" cross join lateral (select columns) as record
  ) as numbered
) as page_items
