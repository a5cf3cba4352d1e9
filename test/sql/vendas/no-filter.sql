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
          coalesce(sum(records), 0) as "linhas",
          coalesce(trim_scale(sum("vendas_facts"."quantidade")), 0) as "quantidade",
          coalesce(round(sum("vendas_facts"."valor_total"), 2), 0.00) as "valor_total",
          coalesce(trim_scale(sum("vendas_facts"."quantidade_profissional")), 0) as "quantidade_profissional",
          coalesce(round(sum("vendas_facts"."valor_profissional"), 2), 0.00) as "valor_profissional",
          coalesce(sum("vendas_facts"."sem_quantidade"), 0) as "sem_quantidade"
        from
          (
            select
              "vendas_facts".*
            from
              (
                select
                  records as "records",
                  "quantidade" as "quantidade",
                  "valor_total" as "valor_total",
                  "quantidade_profissional" as "quantidade_profissional",
                  "valor_profissional" as "valor_profissional",
                  "sem_quantidade" as "sem_quantidade"
                from
                  "vendas_produto_rollup"
                where
                  grain = 'all'
              ) as "vendas_facts"
          ) as "vendas_facts"
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
          "linhas" desc nulls last
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
                  "linhas",
                  "quantidade",
                  "valor_total",
                  "quantidade_profissional",
                  "valor_profissional",
                  "sem_quantidade"
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
                "linhas",
                "quantidade",
                "valor_total",
                "quantidade_profissional",
                "valor_profissional",
                "sem_quantidade"
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
