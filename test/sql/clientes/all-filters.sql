select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    select
      case
        when (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date - (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 1 <= 400 then (
          select
            '{' || '"clientes":' || count(cliente_salon_id) || ',"novos":' || count(cliente_salon_id) filter (
              where
                returns is null
            ) || ',"recorrentes":' || count(returns) || ',"visitas":' || coalesce(sum(visits), 0) || ',"visitas_sem_cliente":' || coalesce(
              sum(visits) filter (
                where
                  cliente_salon_id is null
              ),
              0
            ) || '}'
          from
            (
              select
                cliente_salon_id,
                visits,
                (
                  select
                    true
                  from
                    "transacoes" as earlier
                  where
                    (
                      earlier.cliente_salon_id = client.cliente_salon_id
                      and earlier.data_hora < :data_inicio
                      and "estabelecimento_id" = :estabelecimento_id
                    )
                  limit
                    1
                ) as returns
              from
                (
                  select
                    cliente_salon_id,
                    count(*) as visits
                  from
                    "transacoes"
                  where
                    (
                      data_hora >= :data_inicio
                      and data_hora > '-infinity'
                      and data_hora <= :data_fim
                      and "estabelecimento_id" = :estabelecimento_id
                    )
                  group by
                    cliente_salon_id
                  order by
                    cliente_salon_id
                ) as client
              offset
                0
            ) as clients
        )
      end as body
    offset
      0
  ) as finished
