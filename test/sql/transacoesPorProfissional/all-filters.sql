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
      '{"data":[' || coalesce(
        (
          select
            string_agg(row_to_json(record)::text, ',')
          from
            (
              with
                professionals as materialized (
                  select
                    (
                      select
                        jsonb_object_agg(unit, people)
                      from
                        (
                          select
                            "profissionais"."salon_estabelecimento_id" as unit,
                            jsonb_object_agg(
                              "profissionais"."salon_id",
                              jsonb_build_object('profissional_nome', "profissionais"."nome", 'erp_centro_custo_id', "profissionais"."erp_centro_custo_id")
                              order by
                                "profissionais"."ativo",
                                "profissionais"."id" desc
                            ) as people
                          from
                            "profissionais"
                          where
                            "profissionais"."salon_estabelecimento_id" is not null
                            and "profissionais"."salon_id" in (
                              select
                                "profissionais"."salon_id"
                              from
                                "profissionais"
                              group by
                                "profissionais"."salon_id"
                              having
                                count(*) > 1
                            )
                          group by
                            "profissionais"."salon_estabelecimento_id"
                        ) as units
                    ) as by_unit,
                    (
                      select
                        jsonb_object_agg(
                          "profissionais"."salon_id",
                          jsonb_build_object('profissional_nome', "profissionais"."nome", 'erp_centro_custo_id', "profissionais"."erp_centro_custo_id")
                          order by
                            "profissionais"."ativo",
                            "profissionais"."id" desc
                        )
                      from
                        "profissionais"
                      where
                        "profissionais"."salon_id" is not null
                    ) as anywhere
                )
              select
                mapped ->> 'profissional_nome' as profissional,
                profissional_salon_id,
                estabelecimento_id,
                visitas as total_transacoes,
                valor_total
              from
                (
                  select
                    *,
                    coalesce(
                      (
                        select
                          by_unit
                        from
                          professionals
                      ) -> estabelecimento_id -> profissional_salon_id,
                      (
                        select
                          anywhere
                        from
                          professionals
                      ) -> profissional_salon_id,
                      '{"profissional_nome": null, "erp_centro_custo_id": null}'
                    ) as mapped
                  from
                    (
                      select
                        "key_0" as "estabelecimento_id",
                        "key_1" as "profissional_salon_id",
                        coalesce(sum(records), 0) as "visitas",
                        coalesce(round(sum("transacoes_profissional_rollup"."total"), 2), 0.00) as "valor_total"
                      from
                        (
                          select
                            "transacoes_profissional_rollup".*,
                            "transacoes_profissional_rollup"."estabelecimento_id" as "key_0",
                            "transacoes_profissional_rollup"."profissional" as "key_1"
                          from
                            (
                              select
                                "estabelecimento_id",
                                "profissional",
                                records as "records",
                                "total" as "total"
                              from
                                "transacoes_profissional_rollup"
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
                                "estabelecimento_id",
                                "profissional",
                                records * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as "records",
                                "total" * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as "total"
                              from
                                "transacoes_profissional_rollup"
                              where
                                (
                                  grain = 'day'
                                  and "estabelecimento_id" = :estabelecimento_id
                                  and is_between (starts_on, month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz))
                                )
                              union all
                              select
                                "estabelecimento_id",
                                "profissional",
                                1 * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as "records",
                                "total" * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as "total"
                              from
                                "transacoes_profissional_rollup_source"
                              where
                                (
                                  "estabelecimento_id" = :estabelecimento_id
                                  and is_between (at, brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz)
                                )
                              union all
                              select
                                "estabelecimento_id",
                                "profissional",
                                records * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as "records",
                                "total" * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as "total"
                              from
                                "transacoes_profissional_rollup"
                              where
                                (
                                  grain = 'day'
                                  and "estabelecimento_id" = :estabelecimento_id
                                  and is_between (starts_on, month_of (day_of (after (:data_fim))), day_of (after (:data_fim)))
                                )
                              union all
                              select
                                "estabelecimento_id",
                                "profissional",
                                1 * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as "records",
                                "total" * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as "total"
                              from
                                "transacoes_profissional_rollup_source"
                              where
                                (
                                  "estabelecimento_id" = :estabelecimento_id
                                  and is_between (at, brasilia_midnight (day_of (after (:data_fim))), after (:data_fim))
                                )
                            ) as "transacoes_profissional_rollup"
                        ) as "transacoes_profissional_rollup"
                      group by
                        "key_0",
                        "key_1"
                      having
                        sum(records) > 0
                    ) as sums
                  offset
                    0
                ) as people
              order by
                valor_total desc,
                estabelecimento_id,
                profissional_salon_id
              limit
                :limite
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
