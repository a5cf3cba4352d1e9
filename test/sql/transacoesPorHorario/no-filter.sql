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
                dia_semana,
                hora,
                sum(records) as total_transacoes,
                round(coalesce(sum(total), 0), 2) as valor_total
              from
                (
                  select
                    "dia_semana",
                    "hora",
                    records as "records",
                    "total" as "total"
                  from
                    "transacoes_horario_rollup"
                  where
                    grain = 'all'
                ) as visits
              group by
                dia_semana,
                hora
              having
                sum(records) > 0
              order by
                dia_semana,
                hora
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
