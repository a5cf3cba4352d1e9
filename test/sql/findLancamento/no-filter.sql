select body_if (body_fits or true)
from (
  select row_to_json(record)::text as body
  from (
    select columns_of_lancamentos ()
    from (select * from "lancamentos" where "lancamentos"."salon_id" = :id) as "lancamentos"
  ) as record
  offset 0
) as finished
