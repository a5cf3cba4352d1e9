select
  body_if (body_fits)
from
  (
    with
      signed as materialized (
        select
          *
        from
          "fechamentos"
        where
          "fechamentos"."mes" = :mes
          and "fechamentos"."tipo" = 'fechamento'
        order by
          "fechamentos"."versao" desc
        limit
          1
      ),
      unit_sides as materialized (
        select
          true as is_signed,
          "estabelecimento_id",
          "faturamento",
          "visitas",
          "valor_servicos",
          "valor_produtos",
          "lancamentos",
          "valor_lancamentos"
        from
          signed,
          json_to_recordset(valores::json -> 'unidades') as signed_rows (
            "estabelecimento_id" text,
            "faturamento" numeric,
            "visitas" numeric,
            "valor_servicos" numeric,
            "valor_produtos" numeric,
            "lancamentos" numeric,
            "valor_lancamentos" numeric
          )
        union all
        select
          false,
          "estabelecimento_id",
          "faturamento",
          "visitas",
          "valor_servicos",
          "valor_produtos",
          "lancamentos",
          "valor_lancamentos"
        from
          (
            select
              estabelecimento_id,
              coalesce(revenue.valor_total, 0) as faturamento,
              coalesce(visitas, 0) as visitas,
              coalesce(valor_servicos, 0) as valor_servicos,
              coalesce(valor_produtos, 0) as valor_produtos,
              coalesce(lancamentos, 0) as lancamentos,
              coalesce(entries.valor_total, 0) as valor_lancamentos
            from
              (
                select
                  "key_0" as "estabelecimento_id",
                  coalesce(round(sum("faturamento"."valor"), 2), 0.00) as "valor_total",
                  coalesce(round(sum("faturamento"."valor" - "faturamento"."produtos"), 2), 0.00) as "valor_servicos",
                  coalesce(round(sum("faturamento"."produtos"), 2), 0.00) as "valor_produtos",
                  coalesce(sum("faturamento"."visitas"), 0) as "visitas"
                from
                  (
                    select
                      "faturamento".*,
                      "faturamento"."estabelecimento_id" as "key_0"
                    from
                      (
                        select
                          records as "records",
                          "visitas_facts"."total" as "valor",
                          0 as "produtos",
                          records as "visitas",
                          "visitas_facts"."estabelecimento_id" as "estabelecimento_id"
                        from
                          (
                            select
                              "estabelecimento_id",
                              records as "records",
                              "total" as "total"
                            from
                              "transacoes_rollup"
                            where
                              (
                                grain = 'month'
                                and starts_on > '-infinity'
                                and starts_on >= month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz))
                                and starts_on < date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        (
                                          ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                        ) at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date
                              )
                            union all
                            select
                              "estabelecimento_id",
                              case
                                when day_of ('2031-07-01T03:00:00.000000Z'::timestamptz) <= month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then records
                                else - records
                              end as "records",
                              case
                                when day_of ('2031-07-01T03:00:00.000000Z'::timestamptz) <= month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then "total"
                                else - "total"
                              end as "total"
                            from
                              "transacoes_rollup"
                            where
                              (
                                grain = 'day'
                                and starts_on >= least(
                                  month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)),
                                  day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)
                                )
                                and starts_on < greatest(
                                  month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)),
                                  day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)
                                )
                              )
                            union all
                            select
                              "estabelecimento_id",
                              case
                                when '2031-07-01T03:00:00.000000Z'::timestamptz <= brasilia_midnight (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then 1
                                else -1
                              end as "records",
                              case
                                when '2031-07-01T03:00:00.000000Z'::timestamptz <= brasilia_midnight (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then "total"
                                else - "total"
                              end as "total"
                            from
                              "transacoes_rollup_source"
                            where
                              at >= least(
                                brasilia_midnight (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)),
                                '2031-07-01T03:00:00.000000Z'::timestamptz
                              )
                              and at < greatest(
                                brasilia_midnight (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)),
                                '2031-07-01T03:00:00.000000Z'::timestamptz
                              )
                            union all
                            select
                              "estabelecimento_id",
                              case
                                when date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        (
                                          ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                        ) at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date <= (
                                  (
                                    (
                                      ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                    ) at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date then records
                                else - records
                              end as "records",
                              case
                                when date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        (
                                          ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                        ) at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date <= (
                                  (
                                    (
                                      ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                    ) at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date then "total"
                                else - "total"
                              end as "total"
                            from
                              "transacoes_rollup"
                            where
                              (
                                grain = 'day'
                                and starts_on >= least(
                                  date_trunc(
                                    'month',
                                    (
                                      (
                                        (
                                          (
                                            ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                          ) at time zone 'America/Sao_Paulo'
                                        ) + interval '12 hours'
                                      )::date + 15
                                    )::timestamp
                                  )::date,
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                )
                                and starts_on < greatest(
                                  date_trunc(
                                    'month',
                                    (
                                      (
                                        (
                                          (
                                            ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                          ) at time zone 'America/Sao_Paulo'
                                        ) + interval '12 hours'
                                      )::date + 15
                                    )::timestamp
                                  )::date,
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                )
                              )
                            union all
                            select
                              "estabelecimento_id",
                              case
                                when brasilia_midnight (
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                ) <= (
                                  ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                ) then 1
                                else -1
                              end as "records",
                              case
                                when brasilia_midnight (
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                ) <= (
                                  ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                ) then "total"
                                else - "total"
                              end as "total"
                            from
                              "transacoes_rollup_source"
                            where
                              at >= least(
                                brasilia_midnight (
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                ),
                                (
                                  ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                )
                              )
                              and at < greatest(
                                brasilia_midnight (
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                ),
                                (
                                  ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                )
                              )
                          ) as "visitas_facts"
                        union all
                        select
                          records as "records",
                          case
                            when "vendas_facts"."origem" = 'salao' then - "vendas_facts"."valor_profissional"
                            else "vendas_facts"."valor_total"
                          end as "valor",
                          "vendas_facts"."valor_total" as "produtos",
                          0 as "visitas",
                          "vendas_facts"."estabelecimento_id" as "estabelecimento_id"
                        from
                          (
                            select
                              "estabelecimento_id",
                              "origem",
                              records as "records",
                              "valor_total" as "valor_total",
                              "valor_profissional" as "valor_profissional"
                            from
                              "vendas_produto_rollup"
                            where
                              (
                                grain = 'month'
                                and starts_on > '-infinity'
                                and starts_on >= month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz))
                                and starts_on < date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        (
                                          ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                        ) at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date
                              )
                            union all
                            select
                              "estabelecimento_id",
                              "origem",
                              case
                                when day_of ('2031-07-01T03:00:00.000000Z'::timestamptz) <= month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then records
                                else - records
                              end as "records",
                              case
                                when day_of ('2031-07-01T03:00:00.000000Z'::timestamptz) <= month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then "valor_total"
                                else - "valor_total"
                              end as "valor_total",
                              case
                                when day_of ('2031-07-01T03:00:00.000000Z'::timestamptz) <= month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then "valor_profissional"
                                else - "valor_profissional"
                              end as "valor_profissional"
                            from
                              "vendas_produto_rollup"
                            where
                              (
                                grain = 'day'
                                and starts_on >= least(
                                  month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)),
                                  day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)
                                )
                                and starts_on < greatest(
                                  month_of (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)),
                                  day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)
                                )
                              )
                            union all
                            select
                              "estabelecimento_id",
                              "origem",
                              case
                                when '2031-07-01T03:00:00.000000Z'::timestamptz <= brasilia_midnight (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then 1
                                else -1
                              end as "records",
                              case
                                when '2031-07-01T03:00:00.000000Z'::timestamptz <= brasilia_midnight (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then "valor_total"
                                else - "valor_total"
                              end as "valor_total",
                              case
                                when '2031-07-01T03:00:00.000000Z'::timestamptz <= brasilia_midnight (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)) then "valor_profissional"
                                else - "valor_profissional"
                              end as "valor_profissional"
                            from
                              "vendas_produto_rollup_source"
                            where
                              at >= least(
                                brasilia_midnight (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)),
                                '2031-07-01T03:00:00.000000Z'::timestamptz
                              )
                              and at < greatest(
                                brasilia_midnight (day_of ('2031-07-01T03:00:00.000000Z'::timestamptz)),
                                '2031-07-01T03:00:00.000000Z'::timestamptz
                              )
                            union all
                            select
                              "estabelecimento_id",
                              "origem",
                              case
                                when date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        (
                                          ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                        ) at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date <= (
                                  (
                                    (
                                      ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                    ) at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date then records
                                else - records
                              end as "records",
                              case
                                when date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        (
                                          ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                        ) at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date <= (
                                  (
                                    (
                                      ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                    ) at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date then "valor_total"
                                else - "valor_total"
                              end as "valor_total",
                              case
                                when date_trunc(
                                  'month',
                                  (
                                    (
                                      (
                                        (
                                          ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                        ) at time zone 'America/Sao_Paulo'
                                      ) + interval '12 hours'
                                    )::date + 15
                                  )::timestamp
                                )::date <= (
                                  (
                                    (
                                      ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                    ) at time zone 'America/Sao_Paulo'
                                  ) + interval '12 hours'
                                )::date then "valor_profissional"
                                else - "valor_profissional"
                              end as "valor_profissional"
                            from
                              "vendas_produto_rollup"
                            where
                              (
                                grain = 'day'
                                and starts_on >= least(
                                  date_trunc(
                                    'month',
                                    (
                                      (
                                        (
                                          (
                                            ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                          ) at time zone 'America/Sao_Paulo'
                                        ) + interval '12 hours'
                                      )::date + 15
                                    )::timestamp
                                  )::date,
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                )
                                and starts_on < greatest(
                                  date_trunc(
                                    'month',
                                    (
                                      (
                                        (
                                          (
                                            ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                          ) at time zone 'America/Sao_Paulo'
                                        ) + interval '12 hours'
                                      )::date + 15
                                    )::timestamp
                                  )::date,
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                )
                              )
                            union all
                            select
                              "estabelecimento_id",
                              "origem",
                              case
                                when brasilia_midnight (
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                ) <= (
                                  ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                ) then 1
                                else -1
                              end as "records",
                              case
                                when brasilia_midnight (
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                ) <= (
                                  ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                ) then "valor_total"
                                else - "valor_total"
                              end as "valor_total",
                              case
                                when brasilia_midnight (
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                ) <= (
                                  ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                ) then "valor_profissional"
                                else - "valor_profissional"
                              end as "valor_profissional"
                            from
                              "vendas_produto_rollup_source"
                            where
                              at >= least(
                                brasilia_midnight (
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                ),
                                (
                                  ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                )
                              )
                              and at < greatest(
                                brasilia_midnight (
                                  (
                                    (
                                      (
                                        ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                      ) at time zone 'America/Sao_Paulo'
                                    ) + interval '12 hours'
                                  )::date
                                ),
                                (
                                  ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
                                )
                              )
                          ) as "vendas_facts"
                      ) as "faturamento"
                  ) as "faturamento"
                group by
                  "key_0"
                having
                  sum(records) > 0
              ) as revenue
              full join (
                select
                  "key_0" as "estabelecimento_id",
                  coalesce(sum(records), 0) as "lancamentos",
                  coalesce(round(sum("lancamentos_facts"."valor"), 2), 0.00) as "valor_total"
                from
                  (
                    select
                      "lancamentos_facts".*,
                      "lancamentos_facts"."estabelecimento_id" as "key_0"
                    from
                      (
                        select
                          1 as "records",
                          "lancamentos_facts"."valor" as "valor",
                          "lancamentos_facts"."estabelecimento_id" as "estabelecimento_id"
                        from
                          "lancamentos_facts"
                        where
                          (
                            "lancamentos_facts"."due" >= ('2031-07-01T03:00:00.000000Z'::timestamptz at time zone 'America/Sao_Paulo')::date
                            and "lancamentos_facts"."due" > '-infinity'
                            and "lancamentos_facts"."due" <= ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'America/Sao_Paulo')::date
                          )
                      ) as "lancamentos_facts"
                  ) as "lancamentos_facts"
                group by
                  "key_0"
                having
                  sum(records) > 0
              ) as entries using (estabelecimento_id)
          ) as present_rows
      )
    select
      '{' || '"mes":' || coalesce(to_json("mes")::text, 'null') || ',"versao":' || coalesce(to_json("versao")::text, 'null') || ',"registrado_em":' || coalesce(to_json("registrado_em")::text, 'null') || ',"versao_servico":' || coalesce(to_json("versao_servico")::text, 'null') || ',"usuario":' || coalesce(to_json("usuario")::text, 'null') || ',"nota":' || coalesce(to_json("nota")::text, 'null') || ',"hash":' || coalesce(to_json("hash")::text, 'null') || ',"hash_anterior":' || coalesce(to_json("hash_anterior")::text, 'null') || ',"reaberto":' || coalesce(
        to_json(
          exists (
            select
            from
              "fechamentos"
            where
              "fechamentos"."mes" = signed.mes
              and "fechamentos"."id" > signed.id
          )
        )::text,
        'null'
      ) || ',"totais":' || (
        select
          row_to_json(sums)::text
        from
          (
            select
              (
                select
                  row_to_json(figures)
                from
                  (
                    select
                      "signed_faturamento" as "faturamento",
                      "signed_visitas" as "visitas",
                      "signed_valor_servicos" as "valor_servicos",
                      "signed_valor_produtos" as "valor_produtos",
                      "signed_lancamentos" as "lancamentos",
                      "signed_valor_lancamentos" as "valor_lancamentos"
                  ) as figures
              ) as "assinado",
              (
                select
                  row_to_json(figures)
                from
                  (
                    select
                      "present_faturamento" as "faturamento",
                      "present_visitas" as "visitas",
                      "present_valor_servicos" as "valor_servicos",
                      "present_valor_produtos" as "valor_produtos",
                      "present_lancamentos" as "lancamentos",
                      "present_valor_lancamentos" as "valor_lancamentos"
                  ) as figures
              ) as "atual",
              (
                select
                  row_to_json(figures)
                from
                  (
                    select
                      "present_faturamento" - "signed_faturamento" as "faturamento",
                      "present_visitas" - "signed_visitas" as "visitas",
                      "present_valor_servicos" - "signed_valor_servicos" as "valor_servicos",
                      "present_valor_produtos" - "signed_valor_produtos" as "valor_produtos",
                      "present_lancamentos" - "signed_lancamentos" as "lancamentos",
                      "present_valor_lancamentos" - "signed_valor_lancamentos" as "valor_lancamentos"
                  ) as figures
              ) as "diferenca"
            from
              (
                select
                  coalesce(
                    sum("faturamento") filter (
                      where
                        is_signed
                    ),
                    0
                  ) as "signed_faturamento",
                  coalesce(
                    sum("faturamento") filter (
                      where
                        not is_signed
                    ),
                    0
                  ) as "present_faturamento",
                  coalesce(
                    sum("visitas") filter (
                      where
                        is_signed
                    ),
                    0
                  ) as "signed_visitas",
                  coalesce(
                    sum("visitas") filter (
                      where
                        not is_signed
                    ),
                    0
                  ) as "present_visitas",
                  coalesce(
                    sum("valor_servicos") filter (
                      where
                        is_signed
                    ),
                    0
                  ) as "signed_valor_servicos",
                  coalesce(
                    sum("valor_servicos") filter (
                      where
                        not is_signed
                    ),
                    0
                  ) as "present_valor_servicos",
                  coalesce(
                    sum("valor_produtos") filter (
                      where
                        is_signed
                    ),
                    0
                  ) as "signed_valor_produtos",
                  coalesce(
                    sum("valor_produtos") filter (
                      where
                        not is_signed
                    ),
                    0
                  ) as "present_valor_produtos",
                  coalesce(
                    sum("lancamentos") filter (
                      where
                        is_signed
                    ),
                    0
                  ) as "signed_lancamentos",
                  coalesce(
                    sum("lancamentos") filter (
                      where
                        not is_signed
                    ),
                    0
                  ) as "present_lancamentos",
                  coalesce(
                    sum("valor_lancamentos") filter (
                      where
                        is_signed
                    ),
                    0
                  ) as "signed_valor_lancamentos",
                  coalesce(
                    sum("valor_lancamentos") filter (
                      where
                        not is_signed
                    ),
                    0
                  ) as "present_valor_lancamentos"
                from
                  "unit_sides" as sides
              ) as grouped
          ) as sums
      ) || ',"unidades":' || '[' || coalesce(
        (
          select
            string_agg(row_to_json(record)::text, ',')
          from
            (
              select
                estabelecimento_id,
                (
                  select
                    "estabelecimentos"."nome"
                  from
                    "estabelecimentos"
                  where
                    "estabelecimentos"."salon_id" = unit_rows.estabelecimento_id
                ) as unidade_nome,
                assinado,
                atual,
                diferenca
              from
                (
                  select
                    "estabelecimento_id",
                    (
                      select
                        row_to_json(figures)
                      from
                        (
                          select
                            "signed_faturamento" as "faturamento",
                            "signed_visitas" as "visitas",
                            "signed_valor_servicos" as "valor_servicos",
                            "signed_valor_produtos" as "valor_produtos",
                            "signed_lancamentos" as "lancamentos",
                            "signed_valor_lancamentos" as "valor_lancamentos"
                        ) as figures
                    ) as "assinado",
                    (
                      select
                        row_to_json(figures)
                      from
                        (
                          select
                            "present_faturamento" as "faturamento",
                            "present_visitas" as "visitas",
                            "present_valor_servicos" as "valor_servicos",
                            "present_valor_produtos" as "valor_produtos",
                            "present_lancamentos" as "lancamentos",
                            "present_valor_lancamentos" as "valor_lancamentos"
                        ) as figures
                    ) as "atual",
                    (
                      select
                        row_to_json(figures)
                      from
                        (
                          select
                            "present_faturamento" - "signed_faturamento" as "faturamento",
                            "present_visitas" - "signed_visitas" as "visitas",
                            "present_valor_servicos" - "signed_valor_servicos" as "valor_servicos",
                            "present_valor_produtos" - "signed_valor_produtos" as "valor_produtos",
                            "present_lancamentos" - "signed_lancamentos" as "lancamentos",
                            "present_valor_lancamentos" - "signed_valor_lancamentos" as "valor_lancamentos"
                        ) as figures
                    ) as "diferenca"
                  from
                    (
                      select
                        "estabelecimento_id",
                        coalesce(
                          sum("faturamento") filter (
                            where
                              is_signed
                          ),
                          0
                        ) as "signed_faturamento",
                        coalesce(
                          sum("faturamento") filter (
                            where
                              not is_signed
                          ),
                          0
                        ) as "present_faturamento",
                        coalesce(
                          sum("visitas") filter (
                            where
                              is_signed
                          ),
                          0
                        ) as "signed_visitas",
                        coalesce(
                          sum("visitas") filter (
                            where
                              not is_signed
                          ),
                          0
                        ) as "present_visitas",
                        coalesce(
                          sum("valor_servicos") filter (
                            where
                              is_signed
                          ),
                          0
                        ) as "signed_valor_servicos",
                        coalesce(
                          sum("valor_servicos") filter (
                            where
                              not is_signed
                          ),
                          0
                        ) as "present_valor_servicos",
                        coalesce(
                          sum("valor_produtos") filter (
                            where
                              is_signed
                          ),
                          0
                        ) as "signed_valor_produtos",
                        coalesce(
                          sum("valor_produtos") filter (
                            where
                              not is_signed
                          ),
                          0
                        ) as "present_valor_produtos",
                        coalesce(
                          sum("lancamentos") filter (
                            where
                              is_signed
                          ),
                          0
                        ) as "signed_lancamentos",
                        coalesce(
                          sum("lancamentos") filter (
                            where
                              not is_signed
                          ),
                          0
                        ) as "present_lancamentos",
                        coalesce(
                          sum("valor_lancamentos") filter (
                            where
                              is_signed
                          ),
                          0
                        ) as "signed_valor_lancamentos",
                        coalesce(
                          sum("valor_lancamentos") filter (
                            where
                              not is_signed
                          ),
                          0
                        ) as "present_valor_lancamentos"
                      from
                        "unit_sides" as sides
                      group by
                        "estabelecimento_id"
                    ) as grouped
                ) as unit_rows
              order by
                estabelecimento_id collate "C"
            ) as record
        ),
        ''
      ) || ']' || ',"pagamentos":' || '[' || coalesce(
        (
          select
            string_agg(row_to_json(record)::text, ',')
          from
            (
              select
                "nome_conta_classificacao",
                "situacao",
                (
                  select
                    row_to_json(figures)
                  from
                    (
                      select
                        "signed_pagamentos" as "pagamentos",
                        "signed_valor" as "valor"
                    ) as figures
                ) as "assinado",
                (
                  select
                    row_to_json(figures)
                  from
                    (
                      select
                        "present_pagamentos" as "pagamentos",
                        "present_valor" as "valor"
                    ) as figures
                ) as "atual",
                (
                  select
                    row_to_json(figures)
                  from
                    (
                      select
                        "present_pagamentos" - "signed_pagamentos" as "pagamentos",
                        "present_valor" - "signed_valor" as "valor"
                    ) as figures
                ) as "diferenca"
              from
                (
                  select
                    "nome_conta_classificacao",
                    "situacao",
                    coalesce(
                      sum("pagamentos") filter (
                        where
                          is_signed
                      ),
                      0
                    ) as "signed_pagamentos",
                    coalesce(
                      sum("pagamentos") filter (
                        where
                          not is_signed
                      ),
                      0
                    ) as "present_pagamentos",
                    coalesce(
                      sum("valor") filter (
                        where
                          is_signed
                      ),
                      0
                    ) as "signed_valor",
                    coalesce(
                      sum("valor") filter (
                        where
                          not is_signed
                      ),
                      0
                    ) as "present_valor"
                  from
                    (
                      select
                        true as is_signed,
                        "nome_conta_classificacao",
                        "situacao",
                        "pagamentos",
                        "valor"
                      from
                        signed,
                        json_to_recordset(valores::json -> 'pagamentos') as signed_rows ("nome_conta_classificacao" text, "situacao" smallint, "pagamentos" numeric, "valor" numeric)
                      union all
                      select
                        false,
                        "nome_conta_classificacao",
                        "situacao",
                        "pagamentos",
                        "valor"
                      from
                        (
                          select
                            nome_conta_classificacao,
                            situacao,
                            pagamentos,
                            valor_total as valor
                          from
                            (
                              select
                                "key_0" as "nome_conta_classificacao",
                                "key_1" as "situacao",
                                coalesce(sum(records), 0) as "pagamentos",
                                coalesce(round(sum("pagamentos_facts"."valor"), 2), 0.00) as "valor_total"
                              from
                                (
                                  select
                                    "pagamentos_facts".*,
                                    "pagamentos_facts"."nome_conta_classificacao" as "key_0",
                                    "pagamentos_facts"."situacao" as "key_1"
                                  from
                                    (
                                      select
                                        1 as "records",
                                        "pagamentos_facts"."valor" as "valor",
                                        "pagamentos_facts"."nome_conta_classificacao" as "nome_conta_classificacao",
                                        "pagamentos_facts"."situacao" as "situacao"
                                      from
                                        "pagamentos_facts"
                                      where
                                        (
                                          "pagamentos_facts"."due" >= ('2031-07-01T03:00:00.000000Z'::timestamptz at time zone 'America/Sao_Paulo')::date
                                          and "pagamentos_facts"."due" > '-infinity'
                                          and "pagamentos_facts"."due" <= ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'America/Sao_Paulo')::date
                                        )
                                    ) as "pagamentos_facts"
                                ) as "pagamentos_facts"
                              group by
                                "key_0",
                                "key_1"
                              having
                                sum(records) > 0
                            ) as payments
                        ) as present_rows
                    ) as sides
                  group by
                    "nome_conta_classificacao",
                    "situacao"
                ) as grouped
              order by
                nome_conta_classificacao collate "C",
                situacao
            ) as record
        ),
        ''
      ) || ']' || ',"alteracoes":' || '[' || coalesce(
        (
          select
            string_agg(row_to_json(record)::text, ',')
          from
            (
              select
                lista,
                desde,
                case
                  when desde is not null then gravados
                end as gravados,
                case
                  when desde is not null then removidos
                end as removidos
              from
                (
                  select
                    0 as number,
                    'transacoes' as lista,
                    '/v1/alteracoes/transacoes?after=transacoes.' || signed.epoch || '.' || position || '.' || position as desde,
                    (
                      select
                        count(*)
                      from
                        "visitas_facts"
                        join "transacoes_changes" as changed using (id)
                      where
                        (
                          "visitas_facts"."at" >= '2031-07-01T03:00:00.000000Z'
                          and "visitas_facts"."at" > '-infinity'
                          and "visitas_facts"."at" <= '2031-08-01T02:59:59.999999Z'
                          and change > position
                        )
                    ) as gravados,
                    (
                      select
                        count(*)
                      from
                        "transacoes_changes"
                      where
                        change > position
                        and removed_at is not null
                    ) as removidos
                  from
                    (
                      values
                        (true)
                    ) as one
                    left join (
                      select
                        marker ->> 'epoch' as epoch,
                        (marker ->> 'position')::bigint as position
                      from
                        (
                          select
                            (
                              select
                                marcadores::json
                              from
                                signed
                            ) -> 'transacoes' as marker
                        ) as stored
                    ) as signed on exists (
                      select
                      from
                        change_feeds
                      where
                        list = 'transacoes'
                        and change_feeds.epoch = signed.epoch
                        and position between oldest_kept_change and coalesce(pg_sequence_last_value ('transacoes_change_seq'::regclass), 0)
                    )
                  union all
                  select
                    1 as number,
                    'vendas-produto' as lista,
                    '/v1/alteracoes/vendas-produto?after=vendas-produto.' || signed.epoch || '.' || position || '.' || position as desde,
                    (
                      select
                        count(*)
                      from
                        "vendas_facts"
                        join "vendas_produto_changes" as changed using (id)
                      where
                        (
                          "vendas_facts"."at" >= '2031-07-01T03:00:00.000000Z'
                          and "vendas_facts"."at" > '-infinity'
                          and "vendas_facts"."at" <= '2031-08-01T02:59:59.999999Z'
                          and change > position
                        )
                    ) as gravados,
                    (
                      select
                        count(*)
                      from
                        "vendas_produto_changes"
                      where
                        change > position
                        and removed_at is not null
                    ) as removidos
                  from
                    (
                      values
                        (true)
                    ) as one
                    left join (
                      select
                        marker ->> 'epoch' as epoch,
                        (marker ->> 'position')::bigint as position
                      from
                        (
                          select
                            (
                              select
                                marcadores::json
                              from
                                signed
                            ) -> 'vendas-produto' as marker
                        ) as stored
                    ) as signed on exists (
                      select
                      from
                        change_feeds
                      where
                        list = 'vendas_produto'
                        and change_feeds.epoch = signed.epoch
                        and position between oldest_kept_change and coalesce(pg_sequence_last_value ('vendas_produto_change_seq'::regclass), 0)
                    )
                  union all
                  select
                    2 as number,
                    'lancamentos' as lista,
                    '/v1/alteracoes/lancamentos?after=lancamentos.' || signed.epoch || '.' || position || '.' || position as desde,
                    (
                      select
                        count(*)
                      from
                        "lancamentos_facts"
                        join "lancamentos_changes" as changed using (id)
                      where
                        (
                          "lancamentos_facts"."due" >= ('2031-07-01T03:00:00.000000Z'::timestamptz at time zone 'America/Sao_Paulo')::date
                          and "lancamentos_facts"."due" > '-infinity'
                          and "lancamentos_facts"."due" <= ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'America/Sao_Paulo')::date
                          and change > position
                        )
                    ) as gravados,
                    (
                      select
                        count(*)
                      from
                        "lancamentos_changes"
                      where
                        change > position
                        and removed_at is not null
                    ) as removidos
                  from
                    (
                      values
                        (true)
                    ) as one
                    left join (
                      select
                        marker ->> 'epoch' as epoch,
                        (marker ->> 'position')::bigint as position
                      from
                        (
                          select
                            (
                              select
                                marcadores::json
                              from
                                signed
                            ) -> 'lancamentos' as marker
                        ) as stored
                    ) as signed on exists (
                      select
                      from
                        change_feeds
                      where
                        list = 'lancamentos'
                        and change_feeds.epoch = signed.epoch
                        and position between oldest_kept_change and coalesce(pg_sequence_last_value ('lancamentos_change_seq'::regclass), 0)
                    )
                  union all
                  select
                    3 as number,
                    'pagamentos-erp' as lista,
                    '/v1/alteracoes/pagamentos-erp?after=pagamentos-erp.' || signed.epoch || '.' || position || '.' || position as desde,
                    (
                      select
                        count(*)
                      from
                        "pagamentos_facts"
                        join "pagamentos_erp_changes" as changed using (id)
                      where
                        (
                          "pagamentos_facts"."due" >= ('2031-07-01T03:00:00.000000Z'::timestamptz at time zone 'America/Sao_Paulo')::date
                          and "pagamentos_facts"."due" > '-infinity'
                          and "pagamentos_facts"."due" <= ('2031-08-01T02:59:59.999999Z'::timestamptz at time zone 'America/Sao_Paulo')::date
                          and change > position
                        )
                    ) as gravados,
                    (
                      select
                        count(*)
                      from
                        "pagamentos_erp_changes"
                      where
                        change > position
                        and removed_at is not null
                    ) as removidos
                  from
                    (
                      values
                        (true)
                    ) as one
                    left join (
                      select
                        marker ->> 'epoch' as epoch,
                        (marker ->> 'position')::bigint as position
                      from
                        (
                          select
                            (
                              select
                                marcadores::json
                              from
                                signed
                            ) -> 'pagamentos-erp' as marker
                        ) as stored
                    ) as signed on exists (
                      select
                      from
                        change_feeds
                      where
                        list = 'pagamentos_erp'
                        and change_feeds.epoch = signed.epoch
                        and position between oldest_kept_change and coalesce(pg_sequence_last_value ('pagamentos_erp_change_seq'::regclass), 0)
                    )
                ) as feeds
              order by
                number
            ) as record
        ),
        ''
      ) || ']' || '}' as body
    from
      signed
    offset
      0
  ) as finished
