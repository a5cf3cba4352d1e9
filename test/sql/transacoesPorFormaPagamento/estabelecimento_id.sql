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
                value as forma_pagamento,
                total_transacoes,
                valor_total,
                round(total / total_transacoes, 2) as ticket_medio,
                "taxas_cartao"."taxa_cobrada_profissional"
              from
                (
                  select
                    value,
                    sum(records) as total_transacoes,
                    round(coalesce(sum(total), 0), 2) as valor_total,
                    sum(total) as total
                  from
                    (
                      select
                        "value",
                        records as "records",
                        "total" as "total"
                      from
                        "transacoes_report_rollup"
                      where
                        (
                          grain = 'all'
                          and (
                            "dimension" = 'form'
                            and "estabelecimento_id" = :estabelecimento_id
                          )
                        )
                    ) as visits
                  group by
                    value
                  having
                    sum(records) > 0
                ) as forms
                left join "taxas_cartao" on "taxas_cartao"."forma_pagamento" = value
              order by
                valor_total desc,
                value
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
