select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    with
      accounts as materialized (
        select
          starts_on as inicio,
          nome_conta_classificacao,
          sum(records) as total_pagamentos,
          round(sum(valor), 2) as valor_total,
          coalesce(
            sum(records) filter (
              where
                situacao = 1
            ),
            0
          ) as pendentes,
          round(
            coalesce(
              sum(valor) filter (
                where
                  situacao = 1
              ),
              0
            ),
            2
          ) as valor_pendente
        from
          (
            select
              date_trunc('month', (starts_on)::timestamp)::date as starts_on,
              "situacao",
              "nome_conta_classificacao",
              records as "records",
              "valor" as "valor"
            from
              "pagamentos_por_vencimento_rollup"
            where
              (
                grain = 'month'
                and (
                  "dimension" = 'all'
                  and "situacao" = :situacao
                )
                and starts_on > '-infinity'
                and starts_on < 'infinity'
              )
          ) as payments
        group by
          starts_on,
          nome_conta_classificacao
        having
          sum(records) > 0
        order by
          starts_on,
          valor_total desc,
          nome_conta_classificacao
        limit
          5001
      )
    select
      case
        when (
          select
            count(*)
          from
            accounts
        ) <= 5000 then '{"data":[' || coalesce(
          (
            select
              string_agg(row_to_json(record)::text, ',')
            from
              (
                select
                  *
                from
                  accounts
              ) as record
          ),
          ''
        ) || ']}'
      end as body
    offset
      0
  ) as finished
