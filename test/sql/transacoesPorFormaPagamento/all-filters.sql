select body_if (body_fits)
from (
  select
    '{"data":[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (
          select
            forms.forma_pagamento, visitas as total_transacoes, valor_total, ticket_medio,
            nullif("taxas_cartao"."taxa_cobrada_profissional", 'NaN') as taxa_cobrada_profissional
          from (
            select
              "key_0" as "forma_pagamento", coalesce(sum(records), 0) as "visitas",
              coalesce(round(sum("visitas_facts"."total"), 2), 0.00) as "valor_total",
              round(sum("visitas_facts"."total") / nullif(sum(records), 0), 2) as "ticket_medio"
            from (
              select "visitas_facts".*, "visitas_facts"."forma_pagamento" as "key_0"
              from (
                range (
                  "forma_pagamento", records as "records", "total" as "total",
                  transacoes_forma_rollup, "estabelecimento_id" = :estabelecimento_id
                )
              ) as "visitas_facts"
            ) as "visitas_facts"
            group by "key_0"
            having sum(records) > 0
          ) as forms
          left join "taxas_cartao" on "taxas_cartao"."forma_pagamento" = forms.forma_pagamento
          order by valor_total desc, forms.forma_pagamento
        ) as record
      ),
      ''
    ) || ']}' as body
  offset 0
) as finished
