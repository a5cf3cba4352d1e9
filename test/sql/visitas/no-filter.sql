select
  case
    when body_fits then body
  end as body,
  "first",
  "last",
  "refusal",
  sha256_of (
    case
      when body_fits then body
      else left(body, 1)
    end
  ) as tag
from
  (
    with
      grouped as materialized (
        select
          true as is_total,
          coalesce(sum(records), 0) as "visitas",
          coalesce(round(sum("visitas_facts"."total"), 2), 0.00) as "valor_total",
          round(sum("visitas_facts"."total") / nullif(sum(records), 0), 2) as "ticket_medio",
          coalesce(
            sum(records) filter (
              where
                "visitas_facts"."sent_to_erp"
            ),
            0
          ) as "enviadas",
          coalesce(
            sum(records) filter (
              where
                not "visitas_facts"."sent_to_erp"
            ),
            0
          ) as "pendentes",
          coalesce(
            round(
              sum("visitas_facts"."total") filter (
                where
                  not "visitas_facts"."sent_to_erp"
              ),
              2
            ),
            0.00
          ) as "valor_pendente",
          coalesce(
            round(
              sum(
                "visitas_facts"."total" * (
                  (
                    select
                      jsonb_object_agg("taxas_cartao"."forma_pagamento", "taxas_cartao"."taxa_cobrada_profissional")
                    from
                      "taxas_cartao"
                    where
                      "taxas_cartao"."taxa_cobrada_profissional" <> 'NaN'
                  ) ->> "visitas_facts"."forma_pagamento"
                )::numeric
              ),
              2
            ),
            0.00
          ) as "taxas"
        from
          (
            select
              "visitas_facts".*
            from
              (
                select
                  "forma_pagamento",
                  "sent_to_erp",
                  records as "records",
                  "total" as "total"
                from
                  "transacoes_forma_rollup"
                where
                  grain = 'all'
              ) as "visitas_facts"
          ) as "visitas_facts"
      ),
      matched as not materialized (
        select
          *
        from
          grouped
      ),
      size as materialized (
        select
          count(*) as matched_rows,
          count(*) as all_rows
        from
          matched
      ),
      shown as materialized (
        select
          *
        from
          "matched" as answer
        order by
          "visitas" desc nulls last
        limit
          '100'
      )
    select
      case
        when matched_rows <= 100000 then '{"data":[' || coalesce(
          (
            select
              string_agg(row_to_json(record)::text, ',')
            from
              (
                select
                  "visitas",
                  "valor_total",
                  "ticket_medio",
                  "enviadas",
                  "pendentes",
                  "valor_pendente",
                  "taxas"
                from
                  shown as answer
              ) as record
          ),
          ''
        ) || '],"linhas":' || all_rows || ',"totais":' || (
          select
            row_to_json(totals)::text
          from
            (
              select
                "visitas",
                "valor_total",
                "ticket_medio",
                "enviadas",
                "pendentes",
                "valor_pendente",
                "taxas"
              from
                grouped
              where
                is_total
            ) as totals
        ) || '}'
      end as body,
      null::text as first,
      null::text as last,
      null::text as refusal
    from
      size
    offset
      0
  ) as finished
