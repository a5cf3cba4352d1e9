select
  '' || body as body, records, last, (select min(id) from "table" where id > upto and id <= last) as following
from (
  select *, (select coalesce(max(id), 0) from "table") as last
  from (
    select
      coalesce(string_agg(line, '') filter (where fits), '') as body,
      count(*) filter (where fits) as records,
      case
        when count(*) = :size::int
        or not bool_and(fits) then max(id) filter (where fits)
        else :to::bigint
      end as upto
    from (
      select
        id, line, row_number() over by_id = 1
        or sum(octet_length(line)) over by_id <= 4194304 as fits
      from (
        select part_id as id, row_to_json(record)::text || E' ' as line
        from (
          select "table".*, part_ids.id as part_id
          from (rows order by id limit :size::int) as part_ids,
          lateral (select * from "table" where id = part_ids.id limit 1) as "table"
        ) as "table"
        cross join lateral (select columns) as record
        order by part_id
        offset 0
      ) as lines
      window by_id as (order by id rows unbounded preceding)
    ) as measured
  ) as part
  offset 0
) as reached
