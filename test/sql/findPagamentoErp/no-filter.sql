select body_if (body_fits or true)
from (
  select row_to_json(record)::text as body
  from (
    select columns_of_pagamentos_erp ()
    from (select * from "pagamentos_erp" where "pagamentos_erp"."erp_id" = :id) as "pagamentos_erp"
  ) as record
  offset 0
) as finished
