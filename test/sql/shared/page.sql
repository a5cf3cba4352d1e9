select
  '{"data":[' || (
    coalesce((select string_agg(row_to_json(record)::text, ',') from (rows) as record), '') || (
      '],"pagination":{"page":' || :page || ',"per_page":' || :per_page::bigint || ',"total":' || total || ',"total_pages":' || (total + :per_page::bigint - 1) / :per_page::bigint || '}}'
    )
  ) as body,
  total as link_value
from (count) as counted (total)
