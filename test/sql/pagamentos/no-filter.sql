select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    with
      grouped as materialized (
        select
          true as is_total,
          coalesce(sum(records), 0) as "pagamentos",
          coalesce(round(sum(valor), 2), 0.00) as "valor_total",
          coalesce(
            sum(records) filter (
              where
                situacao = 1
            ),
            0
          ) as "pendentes",
          coalesce(
            round(
              sum(valor) filter (
                where
                  situacao = 1
              ),
              2
            ),
            0.00
          ) as "valor_pendente",
          coalesce(
            sum(records) filter (
              where
                situacao = 1
                and due > '-infinity'
                and due < (now() at time zone 'America/Sao_Paulo')::date
            ),
            0
          ) as "vencidos",
          coalesce(
            round(
              sum(valor) filter (
                where
                  situacao = 1
                  and due > '-infinity'
                  and due < (now() at time zone 'America/Sao_Paulo')::date
              ),
              2
            ),
            0.00
          ) as "valor_vencido",
          coalesce(sum("sem_valor"), 0) as "sem_valor"
        from
          (
            select
              records as "records",
              "valor" as "valor",
              "situacao" as "situacao",
              starts_on as "due",
              "sem_valor" as "sem_valor"
            from
              (
                select
                  starts_on,
                  situacao,
                  sum("records") as "records",
                  sum("valor") as "valor",
                  sum("sem_valor") as "sem_valor"
                from
                  "pagamentos_vencimento_rollup"
                where
                  (
                    grain = 'day'
                    and "situacao" = 1
                  )
                group by
                  starts_on,
                  situacao
                having
                  sum(records) > 0
              ) as sums
            union all
            select
              records as "records",
              "valor" as "valor",
              "situacao" as "situacao",
              null::date as "due",
              "sem_valor" as "sem_valor"
            from
              (
                select
                  "situacao",
                  records as "records",
                  "valor" as "valor",
                  "sem_valor" as "sem_valor"
                from
                  "pagamentos_vencimento_rollup"
                where
                  (
                    grain = 'all'
                    and "situacao" = 2
                  )
              ) as sums
          ) as facts
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
          "pagamentos" desc nulls last
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
                  "pagamentos",
                  "valor_total",
                  "pendentes",
                  "valor_pendente",
                  "vencidos",
                  "valor_vencido",
                  "sem_valor"
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
                "pagamentos",
                "valor_total",
                "pendentes",
                "valor_pendente",
                "vencidos",
                "valor_vencido",
                "sem_valor"
              from
                grouped
              where
                is_total
            ) as totals
        ) || '}'
      end as body,
      null::text as first,
      null::text as last
    from
      size
    offset
      0
  ) as finished
