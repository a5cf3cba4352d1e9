select
  case
    when body_fits then body
  end as body,
  sha256_of (
    case
      when body_fits then body
      else left(body, 1)
    end
  ) as tag
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
                visitas as total_transacoes,
                valor_total,
                ticket_medio,
                nullif("taxas_cartao"."taxa_cobrada_profissional", 'NaN') as taxa_cobrada_profissional
              from
                (
                  select
                    "key_0" as "forma_pagamento",
                    coalesce(sum(records), 0) as "visitas",
                    coalesce(round(sum("visitas_facts"."total"), 2), 0.00) as "valor_total",
                    round(sum("visitas_facts"."total") / nullif(sum(records), 0), 2) as "ticket_medio"
                  from
                    (
                      select
                        "visitas_facts".*,
                        "visitas_facts"."forma_pagamento" as "key_0"
                      from
                        (
                          select
                            "forma_pagamento",
                            records as "records",
                            "total" as "total"
                          from
                            "transacoes_forma_rollup"
                          where
                            (
                              grain = 'month'
                              and "estabelecimento_id" = :estabelecimento_id
                              and starts_on > '-infinity'
                              and starts_on >= month_of (day_of (:data_inicio::timestamptz))
                              and starts_on < month_of (day_of (after (:data_fim)))
                            )
                          union all
                          select
                            "forma_pagamento",
                            records * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as "records",
                            "total" * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as "total"
                          from
                            "transacoes_forma_rollup"
                          where
                            (
                              grain = 'day'
                              and "estabelecimento_id" = :estabelecimento_id
                              and is_between (starts_on, month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz))
                            )
                          union all
                          select
                            "forma_pagamento",
                            1 * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as "records",
                            "total" * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as "total"
                          from
                            "transacoes_forma_rollup_source"
                          where
                            (
                              "estabelecimento_id" = :estabelecimento_id
                              and is_between (at, brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz)
                            )
                          union all
                          select
                            "forma_pagamento",
                            records * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as "records",
                            "total" * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as "total"
                          from
                            "transacoes_forma_rollup"
                          where
                            (
                              grain = 'day'
                              and "estabelecimento_id" = :estabelecimento_id
                              and is_between (starts_on, month_of (day_of (after (:data_fim))), day_of (after (:data_fim)))
                            )
                          union all
                          select
                            "forma_pagamento",
                            1 * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as "records",
                            "total" * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as "total"
                          from
                            "transacoes_forma_rollup_source"
                          where
                            (
                              "estabelecimento_id" = :estabelecimento_id
                              and is_between (at, brasilia_midnight (day_of (after (:data_fim))), after (:data_fim))
                            )
                        ) as "visitas_facts"
                    ) as "visitas_facts"
                  group by
                    "key_0"
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
