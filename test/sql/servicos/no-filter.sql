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
                value as nome,
                sum(records) as quantidade,
                sum(cortesias) as cortesias,
                round(sum(valor), 2) as valor_total
              from
                (
                  select
                    "value",
                    records as "records",
                    "cortesias" as "cortesias",
                    "valor" as "valor"
                  from
                    "transacoes_servicos_rollup"
                  where
                    (
                      grain = 'all'
                      and "dimension" = 'service'
                    )
                ) as services
              group by
                value
              having
                sum(records) > 0
              order by
                valor_total desc,
                value
              limit
                :limite
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
