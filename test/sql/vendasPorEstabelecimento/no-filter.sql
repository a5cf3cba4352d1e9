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
                quantidade,
                valor_total,
                quantidade_profissional,
                valor_profissional
              from
                (
                  select
                    estabelecimento_id,
                    trim_scale(sum(quantidade)) as quantidade,
                    round(sum(valor_total), 2) as valor_total,
                    trim_scale(sum(quantidade_profissional)) as quantidade_profissional,
                    round(sum(valor_profissional), 2) as valor_profissional
                  from
                    (
                      select
                        "estabelecimento_id",
                        records as "records",
                        "quantidade" as "quantidade",
                        "valor_total" as "valor_total",
                        "quantidade_profissional" as "quantidade_profissional",
                        "valor_profissional" as "valor_profissional"
                      from
                        "vendas_produto_rollup"
                      where
                        grain = 'all'
                    ) as lines
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
