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
                profissional_id as profissional_salon_id,
                estabelecimento_id,
                total_transacoes,
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
                      ) -> estabelecimento_id -> profissional_id,
                      (
                        select
                          anywhere
                        from
                          professionals
                      ) -> profissional_id,
                      '{"profissional_nome": null, "erp_centro_custo_id": null}'
                    ) as mapped
                  from
                    (
                      select
                        *,
                        profissional as profissional_id
                      from
                        (
                          select
                            estabelecimento_id,
                            profissional,
                            sum(records) as total_transacoes,
                            round(coalesce(sum(total), 0), 2) as valor_total,
                            sum(total) as total
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
                                grain = 'all'
                            ) as visits
                          group by
                            estabelecimento_id,
                            profissional
                          having
                            sum(records) > 0
                        ) as sums
                    ) as sums
                  offset
                    0
                ) as people
              order by
                valor_total desc,
                estabelecimento_id,
                profissional_id
            ) as record
        ),
        ''
      ) || ']}' as body
    offset
      0
  ) as finished
