select "first", "last", "refusal", "matched_facts", body_if (body_fits)
from (
  with
    grouped as materialized (
      select
        true as is_total, coalesce(sum(records), 0) as "linhas",
        coalesce(trim_scale(sum("vendas_facts"."quantidade")), 0) as "quantidade",
        coalesce(round(sum("vendas_facts"."valor_total"), 2), 0.00) as "valor_total",
        coalesce(trim_scale(sum("vendas_facts"."quantidade_profissional")), 0) as "quantidade_profissional",
        coalesce(round(sum("vendas_facts"."valor_profissional"), 2), 0.00) as "valor_profissional",
        coalesce(sum("vendas_facts"."sem_quantidade"), 0) as "sem_quantidade",
        coalesce(sum(records), 0) as records
      from (
        select "vendas_facts".*
        from (
          select
            records as "records", "quantidade" as "quantidade",
            "valor_total" as "valor_total", "quantidade_profissional" as "quantidade_profissional",
            "valor_profissional" as "valor_profissional", "sem_quantidade" as "sem_quantidade"
          from "vendas_produto_rollup"
          where grain = 'all'
        ) as "vendas_facts"
      ) as "vendas_facts"
    ),
    totals (
      "linhas" desc, "linhas",
      "quantidade", "valor_total", "quantidade_profissional", "valor_profissional", "sem_quantidade"
    )
  offset 0
) as finished
