select
  case when body_fits then body end as body,
  sha256_of (
    case
      when body_fits then regexp_replace(body, '"(atraso_segundos":\d+|agora":"[^"]+")', '', 'g')
      else left(body, 1)
    end
  ) as tag
from (
  select
    '{' || '"data":' || '[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (
          select
            *,
            case
              when ultimo_sucesso is not null then nullif(
                greatest(floor(extract(epoch from now()) - extract(epoch from ultimo_sucesso)), 0),
                'Infinity'
              )
            end as atraso_segundos
          from (
            select
              name as job_name,
              (
                select "jobs_log"."created_at"
                from "jobs_log"
                where "jobs_log"."job_name" = job.name and "jobs_log"."status" = 'completed'
                order by "jobs_log"."created_at" desc, "jobs_log"."id" desc
                limit 1
              ) as ultimo_sucesso,
              (
                select "jobs_log"."created_at"
                from "jobs_log"
                where "jobs_log"."job_name" = job.name and "jobs_log"."status" = 'failed'
                order by "jobs_log"."created_at" desc, "jobs_log"."id" desc
                limit 1
              ) as ultima_falha,
              (
                select case when "jobs_log"."status" = 'started' then "jobs_log"."created_at" end
                from "jobs_log"
                where "jobs_log"."job_name" = job.name
                order by "jobs_log"."created_at" desc, "jobs_log"."id" desc
                limit 1
              ) as em_andamento_desde
            from (values (0, 'sync-transacoes'), (1, 'send-receber'), (2, 'send-pagar')) as job (n, name)
            order by n
            offset 0
          ) as job_times
        ) as record
      ),
      ''
    ) || ']' || ',"catalogo":' || '[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (
          with recursive
            unit (id) as (
              (select "produtos"."estabelecimento_id" from "produtos" order by 1 limit 1)
              union all
              select
                (
                  select "produtos"."estabelecimento_id"
                  from "produtos"
                  where "produtos"."estabelecimento_id" > unit.id
                  order by 1
                  limit 1
                )
              from unit
              where unit.id is not null
            )
          select
            id as estabelecimento_id,
            (
              select max("produtos"."synced_at")
              from "produtos"
              where "produtos"."estabelecimento_id" = unit.id
            ) as synced_at
          from unit
          where id is not null
          order by id
        ) as record
      ),
      ''
    ) || ']' || ',"dados_ate":' || coalesce(to_json(data_reached (:agora::timestamptz))::text, 'null') || ',"agora":' || to_json(now())::text || ',"hoje":' || to_json((now() at time zone 'America/Sao_Paulo')::date)::text || ',"direitos":' || '{"unidades":null,"dados_pessoais":true,"pagamentos":true}' || '}' as body
  offset 0
) as finished
