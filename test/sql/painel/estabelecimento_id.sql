select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    with
      ends as materialized (
        select
          first,
          last,
          extract(
            year
            from
              last
          ) * 12 + extract(
            month
            from
              last
          ) - (
            extract(
              year
              from
                first
            ) * 12 + extract(
              month
              from
                first
            )
          ) + 1 as periods
        from
          (
            select
              (
                select
                  starts_on
                from
                  "transacoes_rollup"
                where
                  (
                    grain = 'month'
                    and "estabelecimento_id" = :estabelecimento_id
                    and starts_on > '-infinity'
                    and starts_on < 'infinity'
                  )
                group by
                  starts_on
                having
                  sum(records) > 0
                order by
                  starts_on asc
                limit
                  1
              ) as first,
              (
                select
                  starts_on
                from
                  "transacoes_rollup"
                where
                  (
                    grain = 'month'
                    and "estabelecimento_id" = :estabelecimento_id
                    and starts_on > '-infinity'
                    and starts_on < 'infinity'
                  )
                group by
                  starts_on
                having
                  sum(records) > 0
                order by
                  starts_on desc
                limit
                  1
              ) as last
            offset
              0
          ) as found
      )
    select
      case
        when (
          (
            select
              periods
            from
              ends
          ) > 1100
        ) is not true then '{' || '"resumo":' || json_build_object(
          'transacoes',
          (
            select
              json_build_object(
                'total',
                coalesce(sum(records), 0),
                'valor_total',
                round(coalesce(sum(total), 0), 2),
                'enviadas_erp',
                coalesce(
                  sum(records) filter (
                    where
                      sent_to_erp
                  ),
                  0
                ),
                'pendentes_erp',
                coalesce(
                  sum(records) filter (
                    where
                      not sent_to_erp
                  ),
                  0
                )
              )
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
                    grain = 'all'
                    and "estabelecimento_id" = :estabelecimento_id
                  )
              ) as visits
          ),
          'lancamentos',
          (
            select
              json_build_object('total', coalesce(sum(records), 0))
            from
              (
                select
                  records as "records"
                from
                  "lancamentos_rollup"
                where
                  (
                    grain = 'all'
                    and "estabelecimento_id" = :estabelecimento_id
                  )
              ) as entries
          ),
          'jobs_ultimas_24h',
          (
            select
              json_build_object(
                'concluidos',
                count(*) filter (
                  where
                    "jobs_log"."status" = 'completed'
                ),
                'falhados',
                count(*) filter (
                  where
                    "jobs_log"."status" = 'failed'
                )
              )
            from
              "jobs_log"
            where
              "jobs_log"."created_at" between now() - interval '24 hours' and now()
          )
        )::text || ',"por_periodo":' || '{"data":[' || coalesce(
          (
            select
              string_agg(row_to_json(record)::text, ',')
            from
              (
                select
                  inicio,
                  coalesce(sum(records), 0) as total_transacoes,
                  round(coalesce(sum(total), 0), 2) as valor_total,
                  coalesce(
                    sum(records) filter (
                      where
                        sent_to_erp
                    ),
                    0
                  ) as enviadas_erp,
                  coalesce(
                    sum(records) filter (
                      where
                        not sent_to_erp
                    ),
                    0
                  ) as pendentes_erp
                from
                  (
                    select
                      (first + n * interval '1 month')::date as inicio
                    from
                      ends,
                      generate_series(0, periods::integer - 1) as n
                  ) as periods
                  left join (
                    select
                      date_trunc('month', (starts_on)::timestamp)::date as starts_on,
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
                        and starts_on < 'infinity'
                      )
                  ) as visits on starts_on = inicio
                group by
                  inicio
                having
                  sum(records) > 0
                  or (
                    select
                      first < last
                    from
                      ends
                  )
                order by
                  inicio
              ) as record
          ),
          ''
        ) || ']}' || ',"por_forma_pagamento":' || '{"data":[' || coalesce(
          (
            select
              string_agg(row_to_json(record)::text, ',')
            from
              (
                select
                  value as forma_pagamento,
                  total_transacoes,
                  valor_total,
                  round(total / total_transacoes, 2) as ticket_medio,
                  "taxas_cartao"."taxa_cobrada_profissional"
                from
                  (
                    select
                      value,
                      sum(records) as total_transacoes,
                      round(coalesce(sum(total), 0), 2) as valor_total,
                      sum(total) as total
                    from
                      (
                        select
                          "value",
                          records as "records",
                          "total" as "total"
                        from
                          "transacoes_report_rollup"
                        where
                          (
                            grain = 'all'
                            and (
                              "dimension" = 'form'
                              and "estabelecimento_id" = :estabelecimento_id
                            )
                          )
                      ) as visits
                    group by
                      value
                    having
                      sum(records) > 0
                  ) as forms
                  left join "taxas_cartao" on "taxas_cartao"."forma_pagamento" = value
                order by
                  valor_total desc,
                  value
              ) as record
          ),
          ''
        ) || ']}' || ',"por_profissional":' || '{"data":[' || coalesce(
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
                  value as profissional_salon_id,
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
                        ) -> estabelecimento_id -> value,
                        (
                          select
                            anywhere
                          from
                            professionals
                        ) -> value,
                        '{"profissional_nome": null, "erp_centro_custo_id": null}'
                      ) as mapped
                    from
                      (
                        select
                          estabelecimento_id,
                          value,
                          sum(records) as total_transacoes,
                          round(coalesce(sum(total), 0), 2) as valor_total,
                          sum(total) as total
                        from
                          (
                            select
                              "estabelecimento_id",
                              "value",
                              records as "records",
                              "total" as "total"
                            from
                              "transacoes_report_rollup"
                            where
                              (
                                grain = 'all'
                                and (
                                  "dimension" = 'professional'
                                  and "estabelecimento_id" = :estabelecimento_id
                                )
                              )
                          ) as visits
                        group by
                          estabelecimento_id,
                          value
                        having
                          sum(records) > 0
                      ) as sums
                    offset
                      0
                  ) as people
                order by
                  valor_total desc,
                  estabelecimento_id,
                  value
                limit
                  10
              ) as record
          ),
          ''
        ) || ']}' || ',"por_estabelecimento":' || '{"data":[' || coalesce(
          (
            select
              string_agg(row_to_json(record)::text, ',')
            from
              (
                select
                  estabelecimento_id,
                  "estabelecimentos"."nome",
                  total_transacoes,
                  valor_total,
                  round(valor_total / total_transacoes, 2) as ticket_medio,
                  enviadas_erp,
                  pendentes_erp,
                  valor_pendente
                from
                  (
                    select
                      estabelecimento_id,
                      sum(records) as total_transacoes,
                      round(coalesce(sum(total), 0), 2) as valor_total,
                      coalesce(
                        sum(records) filter (
                          where
                            sent_to_erp
                        ),
                        0
                      ) as enviadas_erp,
                      coalesce(
                        sum(records) filter (
                          where
                            not sent_to_erp
                        ),
                        0
                      ) as pendentes_erp,
                      round(
                        coalesce(
                          sum(total) filter (
                            where
                              not sent_to_erp
                          ),
                          0
                        ),
                        2
                      ) as valor_pendente
                    from
                      (
                        select
                          "estabelecimento_id",
                          "sent_to_erp",
                          records as "records",
                          "total" as "total"
                        from
                          "transacoes_rollup"
                        where
                          (
                            grain = 'all'
                            and "estabelecimento_id" = :estabelecimento_id
                          )
                      ) as visits
                    group by
                      estabelecimento_id
                    having
                      sum(records) > 0
                  ) as units
                  left join "estabelecimentos" on "estabelecimentos"."salon_id" = estabelecimento_id
                order by
                  valor_total desc,
                  estabelecimento_id
              ) as record
          ),
          ''
        ) || ']}' || ',"vendas_por_produto":' || '{"data":[' || coalesce(
          (
            select
              string_agg(row_to_json(record)::text, ',')
            from
              (
                select
                  produto_id,
                  produto_nome,
                  trim_scale(sum(quantidade)) as quantidade,
                  round(sum(valor_total), 2) as valor_total,
                  trim_scale(sum(quantidade_profissional)) as quantidade_profissional,
                  round(sum(valor_profissional), 2) as valor_profissional
                from
                  (
                    select
                      "produto_id",
                      "produto_nome",
                      records as "records",
                      "quantidade" as "quantidade",
                      "valor_total" as "valor_total",
                      "quantidade_profissional" as "quantidade_profissional",
                      "valor_profissional" as "valor_profissional"
                    from
                      "vendas_por_unidade_rollup"
                    where
                      (
                        grain = 'all'
                        and "estabelecimento_id" = :estabelecimento_id
                      )
                  ) as lines
                group by
                  produto_id,
                  produto_nome
                having
                  sum(records) > 0
                order by
                  valor_total desc,
                  produto_id,
                  produto_nome
                limit
                  10
              ) as record
          ),
          ''
        ) || ']}' || '}'
      end as body
    offset
      0
  ) as finished
