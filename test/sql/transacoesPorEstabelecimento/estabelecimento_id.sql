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
                estabelecimento_id,
                "estabelecimentos"."nome",
                total_transacoes,
                valor_total,
                round(valor_total / total_transacoes, 2) as ticket_medio,
                enviadas_erp,
                pendentes_erp,
                valor_pendente
              from
                (
                  select
                    estabelecimento_id,
                    sum(records) as total_transacoes,
                    round(coalesce(sum(total), 0), 2) as valor_total,
                    coalesce(
                      sum(records) filter (
                        where
                          sent_to_erp
                      ),
                      0
                    ) as enviadas_erp,
                    coalesce(
                      sum(records) filter (
                        where
                          not sent_to_erp
                      ),
                      0
                    ) as pendentes_erp,
                    round(
                      coalesce(
                        sum(total) filter (
                          where
                            not sent_to_erp
                        ),
                        0
                      ),
                      2
                    ) as valor_pendente
                  from
                    (
                      select
                        "estabelecimento_id",
                        "sent_to_erp",
                        records as "records",
                        "total" as "total"
                      from
                        "transacoes_rollup"
                      where
                        (
                          grain = 'all'
                          and "estabelecimento_id" = :estabelecimento_id
                        )
                    ) as visits
                  group by
                    estabelecimento_id
                  having
                    sum(records) > 0
                ) as units
                left join "estabelecimentos" on "estabelecimentos"."salon_id" = estabelecimento_id
              order by
                valor_total desc,
                estabelecimento_id
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
