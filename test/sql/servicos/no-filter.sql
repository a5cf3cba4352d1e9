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
          coalesce(sum(records), 0) as "servicos",
          coalesce(sum("servicos_facts"."cortesias"), 0) as "cortesias",
          coalesce(round(sum("servicos_facts"."valor"), 2), 0.00) as "valor_total"
        from
          (
            select
              "servicos_facts".*
            from
              (
                select
                  records as "records",
                  "cortesias" as "cortesias",
                  "valor" as "valor"
                from
                  "servicos_profissional_rollup"
                where
                  grain = 'all'
              ) as "servicos_facts"
          ) as "servicos_facts"
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
          "servicos" desc nulls last
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
                  "servicos",
                  "cortesias",
                  "valor_total"
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
                "servicos",
                "cortesias",
                "valor_total"
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
