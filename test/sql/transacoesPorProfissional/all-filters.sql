select body_if (body_fits)
from (
  select
    '{"data":[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (
          with professionals () people ()
          order by valor_total desc, estabelecimento_id, profissional_salon_id
          limit :limite
        ) as record
      ),
      ''
    ) || ']}' as body
  offset 0
) as finished
