select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    with
      grouped as materialized (
        select
          true as is_total,
          coalesce(sum(records), 0) as "lancamentos",
          coalesce(round(sum(valor), 2), 0.00) as "valor_total",
          coalesce(
            sum(records) filter (
              where
                sent_to_salon
            ),
            0
          ) as "enviados",
          coalesce(
            sum(records) filter (
              where
                not sent_to_salon
            ),
            0
          ) as "pendentes",
          coalesce(
            round(
              sum(valor) filter (
                where
                  not sent_to_salon
              ),
              2
            ),
            0.00
          ) as "valor_pendente",
          coalesce(sum("sem_valor"), 0) as "sem_valor"
        from
          (
            select
              records as "records",
              "valor" as "valor",
              "sent_to_salon" as "sent_to_salon",
              "sem_valor" as "sem_valor"
            from
              (
                select
                  "sent_to_salon",
                  records as "records",
                  "valor" as "valor",
                  "sem_valor" as "sem_valor"
                from
                  "lancamentos_vencimento_rollup"
                where
                  grain = 'all'
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
          "lancamentos" desc nulls last
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
                  "lancamentos",
                  "valor_total",
                  "enviados",
                  "pendentes",
                  "valor_pendente",
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
                "lancamentos",
                "valor_total",
                "enviados",
                "pendentes",
                "valor_pendente",
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
