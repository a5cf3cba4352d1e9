select
  case
    when body_fits then body
  end as body,
  sha256_of (
    case
      when body_fits then body
      else left(body, 1)
    end
  ) as tag
from
  (
    select
      '{' || '"transacoes":' || (
        select
          '{' || '"total":' || visitas || ',"valor_total":' || valor_total || ',"enviadas_erp":' || enviadas || ',"pendentes_erp":' || pendentes || '}'
        from
          (
            select
              coalesce(sum(records), 0) as "visitas",
              coalesce(round(sum("visitas_facts"."total"), 2), 0.00) as "valor_total",
              coalesce(
                sum(records) filter (
                  where
                    "visitas_facts"."sent_to_erp"
                ),
                0
              ) as "enviadas",
              coalesce(
                sum(records) filter (
                  where
                    not "visitas_facts"."sent_to_erp"
                ),
                0
              ) as "pendentes"
            from
              (
                select
                  "visitas_facts".*
                from
                  (
                    select
                      "sent_to_erp",
                      records as "records",
                      "total" as "total"
                    from
                      "transacoes_rollup"
                    where
                      (
                        grain = 'month'
                        and "estabelecimento_id" = :estabelecimento_id
                        and starts_on > '-infinity'
                        and starts_on >= month_of (day_of (:data_inicio::timestamptz))
                        and starts_on < month_of (day_of (after (:data_fim)))
                      )
                    union all
                    select
                      "sent_to_erp",
                      records * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as "records",
                      "total" * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as "total"
                    from
                      "transacoes_rollup"
                    where
                      (
                        grain = 'day'
                        and "estabelecimento_id" = :estabelecimento_id
                        and is_between (starts_on, month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz))
                      )
                    union all
                    select
                      "sent_to_erp",
                      1 * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as "records",
                      "total" * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as "total"
                    from
                      "transacoes_rollup_source"
                    where
                      (
                        "estabelecimento_id" = :estabelecimento_id
                        and is_between (at, brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz)
                      )
                    union all
                    select
                      "sent_to_erp",
                      records * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as "records",
                      "total" * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as "total"
                    from
                      "transacoes_rollup"
                    where
                      (
                        grain = 'day'
                        and "estabelecimento_id" = :estabelecimento_id
                        and is_between (starts_on, month_of (day_of (after (:data_fim))), day_of (after (:data_fim)))
                      )
                    union all
                    select
                      "sent_to_erp",
                      1 * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as "records",
                      "total" * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as "total"
                    from
                      "transacoes_rollup_source"
                    where
                      (
                        "estabelecimento_id" = :estabelecimento_id
                        and is_between (at, brasilia_midnight (day_of (after (:data_fim))), after (:data_fim))
                      )
                  ) as "visitas_facts"
              ) as "visitas_facts"
          ) as visits
      ) || ',"lancamentos":' || (
        select
          '{' || '"total":' || lancamentos || '}'
        from
          (
            select
              coalesce(sum(records), 0) as "lancamentos"
            from
              (
                select
                  "lancamentos_facts".*
                from
                  (
                    select
                      records as "records"
                    from
                      "lancamentos_rollup"
                    where
                      (
                        grain = 'month'
                        and "estabelecimento_id" = :estabelecimento_id
                        and starts_on > '-infinity'
                        and starts_on >= month_of (day_of (:data_inicio::timestamptz))
                        and starts_on < month_of (day_of (after (:data_fim)))
                      )
                    union all
                    select
                      records * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as "records"
                    from
                      "lancamentos_rollup"
                    where
                      (
                        grain = 'day'
                        and "estabelecimento_id" = :estabelecimento_id
                        and is_between (starts_on, month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz))
                      )
                    union all
                    select
                      1 * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as "records"
                    from
                      "lancamentos_rollup_source"
                    where
                      (
                        "estabelecimento_id" = :estabelecimento_id
                        and is_between (at, brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz)
                      )
                    union all
                    select
                      records * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as "records"
                    from
                      "lancamentos_rollup"
                    where
                      (
                        grain = 'day'
                        and "estabelecimento_id" = :estabelecimento_id
                        and is_between (starts_on, month_of (day_of (after (:data_fim))), day_of (after (:data_fim)))
                      )
                    union all
                    select
                      1 * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as "records"
                    from
                      "lancamentos_rollup_source"
                    where
                      (
                        "estabelecimento_id" = :estabelecimento_id
                        and is_between (at, brasilia_midnight (day_of (after (:data_fim))), after (:data_fim))
                      )
                  ) as "lancamentos_facts"
              ) as "lancamentos_facts"
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
