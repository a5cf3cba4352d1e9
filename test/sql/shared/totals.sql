matched as not materialized (select * from grouped),
size as materialized (select count(*) as matched_rows, count(*) as all_rows from matched),
shown as materialized (select * from "matched" as answer order by order nulls last limit '100')
select
  case
    when matched_rows <= 100000 then '{"data":[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (select measures from shown as answer) as record
      ),
      ''
    ) || '],"linhas":' || all_rows || ',"totais":' || (
      select row_to_json(totals)::text
      from (select measures from grouped where is_total) as totals
    ) || '}'
  end as body, null::text as first, null::text as last,
  null::text as refusal, (select records from grouped where is_total)::text as matched_facts
from size
