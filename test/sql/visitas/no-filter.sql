select "first", "last", "refusal", "matched_facts", body_if (body_fits)
from (
  with
    grouped as materialized (
      select
        true as is_total, coalesce(sum(records), 0) as "visitas",
        coalesce(round(sum("visitas_facts"."total"), 2), 0.00) as "valor_total",
        round(sum("visitas_facts"."total") / nullif(sum(records), 0), 2) as "ticket_medio",
        coalesce(sum(records) filter (where "visitas_facts"."sent_to_erp"), 0) as "enviadas",
        coalesce(sum(records) filter (where not "visitas_facts"."sent_to_erp"), 0) as "pendentes",
        coalesce(
          round(sum("visitas_facts"."total") filter (where not "visitas_facts"."sent_to_erp"), 2),
          0.00
        ) as "valor_pendente",
        coalesce(
          round(
            sum(
              "visitas_facts"."total" * (
                (
                  select
                    jsonb_object_agg("taxas_cartao"."forma_pagamento", "taxas_cartao"."taxa_cobrada_profissional")
                  from "taxas_cartao"
                  where "taxas_cartao"."taxa_cobrada_profissional" <> 'NaN'
                ) ->> "visitas_facts"."forma_pagamento"
              )::numeric
            ),
            2
          ),
          0.00
        ) as "taxas",
        coalesce(sum(records), 0) as records
      from (
        select "visitas_facts".*
        from (
          select "forma_pagamento", "sent_to_erp", records as "records", "total" as "total"
          from "transacoes_forma_rollup"
          where grain = 'all'
        ) as "visitas_facts"
      ) as "visitas_facts"
    ),
    totals ("visitas" desc, "visitas", "valor_total", "ticket_medio", "enviadas", "pendentes", "valor_pendente", "taxas")
  offset 0
) as finished
