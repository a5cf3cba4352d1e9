select body_if (body_fits)
from (
  select
    '{' || '"transacoes":' || (
      select
        '{' || '"total":' || visitas || ',"valor_total":' || valor_total || ',"enviadas_erp":' || enviadas || ',"pendentes_erp":' || pendentes || '}'
      from (
        select
          coalesce(sum(records), 0) as "visitas",
          coalesce(round(sum("visitas_facts"."total"), 2), 0.00) as "valor_total",
          coalesce(sum(records) filter (where "visitas_facts"."sent_to_erp"), 0) as "enviadas",
          coalesce(sum(records) filter (where not "visitas_facts"."sent_to_erp"), 0) as "pendentes"
        from (
          select "visitas_facts".*
          from (
            range (
              "sent_to_erp", records as "records",
              "total" as "total", transacoes_rollup, "estabelecimento_id" = :estabelecimento_id
            )
          ) as "visitas_facts"
        ) as "visitas_facts"
      ) as visits
    ) || ',"lancamentos":' || (
      select '{' || '"total":' || lancamentos || '}'
      from (
        select coalesce(sum(records), 0) as "lancamentos"
        from (
          select "lancamentos_facts".*
          from (range (records as "records", lancamentos_rollup, "estabelecimento_id" = :estabelecimento_id)) as "lancamentos_facts"
        ) as "lancamentos_facts"
      ) as entries
    ) || ',"jobs_ultimas_24h":' || (
      select
        '{' || '"concluidos":' || count(*) filter (
          where "jobs_log"."status" = 'completed'
       ) || ',"falhados":' || count(*) filter (where "jobs_log"."status" = 'failed') || '}'
      from "jobs_log"
      where "jobs_log"."created_at" between now() - interval '24 hours' and now()
    ) || '}' as body
  offset 0
) as finished
