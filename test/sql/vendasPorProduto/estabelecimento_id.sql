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
                produto_id,
                produto_nome,
                trim_scale(sum(quantidade)) as quantidade,
                round(sum(valor_total), 2) as valor_total,
                trim_scale(sum(quantidade_profissional)) as quantidade_profissional,
                round(sum(valor_profissional), 2) as valor_profissional
              from
                (
                  select
                    "produto_id",
                    "produto_nome",
                    records as "records",
                    "quantidade" as "quantidade",
                    "valor_total" as "valor_total",
                    "quantidade_profissional" as "quantidade_profissional",
                    "valor_profissional" as "valor_profissional"
                  from
                    "vendas_por_unidade_rollup"
                  where
                    (
                      grain = 'all'
                      and "estabelecimento_id" = :estabelecimento_id
                    )
                ) as lines
              group by
                produto_id,
                produto_nome
              having
                sum(records) > 0
              order by
                valor_total desc,
                produto_id,
                produto_nome
              limit
                :limite
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
