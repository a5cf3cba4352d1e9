select "first", "last", "refusal", "matched_facts", body_if (body_fits)
from (
  with
    grouped as materialized (
      select
        true as is_total, coalesce(round(sum("faturamento"."valor"), 2), 0.00) as "valor_total",
        coalesce(round(sum("faturamento"."valor" - "faturamento"."produtos"), 2), 0.00) as "valor_servicos",
        coalesce(round(sum("faturamento"."produtos"), 2), 0.00) as "valor_produtos",
        coalesce(sum("faturamento"."visitas"), 0) as "visitas",
        round(sum("faturamento"."salao") / nullif(sum("faturamento"."visitas"), 0), 2) as "ticket_medio",
        coalesce(sum(records), 0) as records
      from (
        select "faturamento".*
        from (
          select
            records as "records", "visitas_facts"."total" as "valor",
            0 as "produtos", records as "visitas", "visitas_facts"."total" as "salao"
          from (
            select records as "records", "total" as "total"
            from "transacoes_rollup"
            where grain = 'all'
          ) as "visitas_facts"
          union all
          select
            records as "records",
            case
              when "vendas_facts"."origem" = 'salao' then - "vendas_facts"."valor_profissional"
              else "vendas_facts"."valor_total"
            end as "valor", "vendas_facts"."valor_total" as "produtos", 0 as "visitas",
            case
              when "vendas_facts"."origem" = 'salao' then - "vendas_facts"."valor_profissional"
              else 0
            end as "salao"
          from (
            select
              "origem", records as "records",
              "valor_total" as "valor_total", "valor_profissional" as "valor_profissional"
            from "vendas_produto_rollup"
            where grain = 'all'
          ) as "vendas_facts"
        ) as "faturamento"
      ) as "faturamento"
    ),
    totals ("valor_total" desc, "valor_total", "valor_servicos", "valor_produtos", "visitas", "ticket_medio")
  offset 0
) as finished
