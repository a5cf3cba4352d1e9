select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    select
      '{' || '"transacoes":' || (
        select
          '{' || '"total":' || coalesce(sum(records), 0) || ',"valor_total":' || round(coalesce(sum(total), 0), 2) || ',"enviadas_erp":' || coalesce(
            sum(records) filter (
              where
                sent_to_erp
            ),
            0
          ) || ',"pendentes_erp":' || coalesce(
            sum(records) filter (
              where
                not sent_to_erp
            ),
            0
          ) || '}'
        from
          (
            select
              "sent_to_erp",
              records as "records",
              "total" as "total"
            from
              "transacoes_rollup"
            where
              grain = 'all'
          ) as visits
      ) || ',"lancamentos":' || (
        select
          '{' || '"total":' || coalesce(sum(records), 0) || '}'
        from
          (
            select
              records as "records"
            from
              "lancamentos_rollup"
            where
              grain = 'all'
          ) as entries
      ) || ',"jobs_ultimas_24h":' || (
        select
          '{' || '"concluidos":' || count(*) filter (
            where
              "jobs_log"."status" = 'completed'
          ) || ',"falhados":' || count(*) filter (
            where
              "jobs_log"."status" = 'failed'
          ) || '}'
        from
          "jobs_log"
        where
          "jobs_log"."created_at" between now() - interval '24 hours' and now()
      ) || '}' as body
    offset
      0
  ) as finished
