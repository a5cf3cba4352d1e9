select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    select
      '{"data":[' || coalesce(
        (
          select
            string_agg(row_to_json(record)::text, ',')
          from
            (
              select
                forms.forma_pagamento,
                total_transacoes,
                valor_total,
                round(total / total_transacoes, 2) as ticket_medio,
                "taxas_cartao"."taxa_cobrada_profissional"
              from
                (
                  select
                    forma_pagamento,
                    sum(records) as total_transacoes,
                    round(coalesce(sum(total), 0), 2) as valor_total,
                    sum(total) as total
                  from
                    (
                      select
                        "forma_pagamento",
                        records as "records",
                        "total" as "total"
                      from
                        "transacoes_forma_rollup"
                      where
                        grain = 'all'
                    ) as visits
                  group by
                    forma_pagamento
                  having
                    sum(records) > 0
                ) as forms
                left join "taxas_cartao" on "taxas_cartao"."forma_pagamento" = forms.forma_pagamento
              order by
                valor_total desc,
                forms.forma_pagamento
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
