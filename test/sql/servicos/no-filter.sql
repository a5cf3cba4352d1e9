select "first", "last", "refusal", "matched_facts", body_if (body_fits)
from (
  with
    grouped as materialized (
      select
        true as is_total, coalesce(sum(records), 0) as "servicos",
        coalesce(sum("servicos_facts"."cortesias"), 0) as "cortesias",
        coalesce(round(sum("servicos_facts"."valor"), 2), 0.00) as "valor_total",
        coalesce(sum(records), 0) as records
      from (
        select "servicos_facts".*
        from (
          select records as "records", "cortesias" as "cortesias", "valor" as "valor"
          from "servicos_profissional_rollup"
          where grain = 'all'
        ) as "servicos_facts"
      ) as "servicos_facts"
    ),
    totals ("servicos" desc, "servicos", "cortesias", "valor_total")
  offset 0
) as finished
