select body_if (body_fits)
from (
  with
    signed as materialized (
      select *
      from "fechamentos"
      where "fechamentos"."mes" = :mes and "fechamentos"."tipo" = 'fechamento'
      order by "fechamentos"."versao" desc
      limit 1
    ),
    unit_sides as materialized (
      select
        true as is_signed, "estabelecimento_id",
        "faturamento", "visitas", "valor_servicos", "valor_produtos", "lancamentos", "valor_lancamentos"
      from
        signed,
        json_to_recordset(valores::json -> 'unidades') as signed_rows (
          "estabelecimento_id" text, "faturamento" numeric, "visitas" numeric, "valor_servicos" numeric,
          "valor_produtos" numeric, "lancamentos" numeric, "valor_lancamentos" numeric
        )
      union all
      select
        false, "estabelecimento_id",
        "faturamento", "visitas", "valor_servicos", "valor_produtos", "lancamentos", "valor_lancamentos"
      from (
        select
          estabelecimento_id,
          coalesce(revenue.valor_total, 0) as faturamento, coalesce(visitas, 0) as visitas,
          coalesce(valor_servicos, 0) as valor_servicos, coalesce(valor_produtos, 0) as valor_produtos,
          coalesce(lancamentos, 0) as lancamentos, coalesce(entries.valor_total, 0) as valor_lancamentos
        from (
          select
            "key_0" as "estabelecimento_id",
            coalesce(round(sum("faturamento"."valor"), 2), 0.00) as "valor_total",
            coalesce(round(sum("faturamento"."valor" - "faturamento"."produtos"), 2), 0.00) as "valor_servicos",
            coalesce(round(sum("faturamento"."produtos"), 2), 0.00) as "valor_produtos",
            coalesce(sum("faturamento"."visitas"), 0) as "visitas"
          from (
            select "faturamento".*, "faturamento"."estabelecimento_id" as "key_0"
            from (
              select
                records as "records", "visitas_facts"."total" as "valor", 0 as "produtos",
                records as "visitas", "visitas_facts"."estabelecimento_id" as "estabelecimento_id"
              from (range ("estabelecimento_id", records as "records", "total" as "total", transacoes_rollup, true)) as "visitas_facts"
              union all
              select
                records as "records",
                case
                  when "vendas_facts"."origem" = 'salao' then - "vendas_facts"."valor_profissional"
                  else "vendas_facts"."valor_total"
                end as "valor", "vendas_facts"."valor_total" as "produtos",
                0 as "visitas", "vendas_facts"."estabelecimento_id" as "estabelecimento_id"
              from (
                range (
                  "estabelecimento_id",
                  "origem", records as "records", "valor_total" as "valor_total",
                  "valor_profissional" as "valor_profissional", vendas_produto_rollup, true
                )
              ) as "vendas_facts"
            ) as "faturamento"
          ) as "faturamento"
          group by "key_0"
          having sum(records) > 0
        ) as revenue
        full join (
          select
            "key_0" as "estabelecimento_id", coalesce(sum(records), 0) as "lancamentos",
            coalesce(round(sum("lancamentos_facts"."valor"), 2), 0.00) as "valor_total"
          from (
            select "lancamentos_facts".*, "lancamentos_facts"."estabelecimento_id" as "key_0"
            from (
              select
                1 as "records", "lancamentos_facts"."valor" as "valor",
                "lancamentos_facts"."estabelecimento_id" as "estabelecimento_id"
              from "lancamentos_facts"
              where
                (
                  "lancamentos_facts"."due" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                  and "lancamentos_facts"."due" > '-infinity'
                  and "lancamentos_facts"."due" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
                )
            ) as "lancamentos_facts"
          ) as "lancamentos_facts"
          group by "key_0"
          having sum(records) > 0
        ) as entries using (estabelecimento_id)
      ) as present_rows
    )
  select
    '{' || '"mes":' || coalesce(to_json("mes")::text, 'null') || ',"versao":' || coalesce(to_json("versao")::text, 'null') || ',"registrado_em":' || coalesce(to_json("registrado_em")::text, 'null') || ',"versao_servico":' || coalesce(to_json("versao_servico")::text, 'null') || ',"usuario":' || coalesce(to_json("usuario")::text, 'null') || ',"nota":' || coalesce(to_json("nota")::text, 'null') || ',"hash":' || coalesce(to_json("hash")::text, 'null') || ',"hash_anterior":' || coalesce(to_json("hash_anterior")::text, 'null') || ',"reaberto":' || coalesce(
      to_json(
        exists (
          select
          from "fechamentos"
          where "fechamentos"."mes" = signed.mes and "fechamentos"."id" > signed.id
        )
      )::text,
      'null'
    ) || ',"totais":' || (
      select row_to_json(sums)::text
      from (
        select
          figures_of (
            "signed_faturamento" as "faturamento", "signed_visitas" as "visitas",
            "signed_valor_servicos" as "valor_servicos", "signed_valor_produtos" as "valor_produtos",
            "signed_lancamentos" as "lancamentos", "signed_valor_lancamentos" as "valor_lancamentos"
          ) as "assinado",
          figures_of (
            "present_faturamento" as "faturamento", "present_visitas" as "visitas",
            "present_valor_servicos" as "valor_servicos", "present_valor_produtos" as "valor_produtos",
            "present_lancamentos" as "lancamentos", "present_valor_lancamentos" as "valor_lancamentos"
          ) as "atual",
          figures_of (
            "present_faturamento" - "signed_faturamento" as "faturamento",
            "present_visitas" - "signed_visitas" as "visitas",
            "present_valor_servicos" - "signed_valor_servicos" as "valor_servicos",
            "present_valor_produtos" - "signed_valor_produtos" as "valor_produtos",
            "present_lancamentos" - "signed_lancamentos" as "lancamentos",
            "present_valor_lancamentos" - "signed_valor_lancamentos" as "valor_lancamentos"
          ) as "diferenca"
        from (
          select
            signed_and_present ("faturamento"), signed_and_present ("visitas"),
            signed_and_present ("valor_servicos"), signed_and_present ("valor_produtos"),
            signed_and_present ("lancamentos"), signed_and_present ("valor_lancamentos")
          from "unit_sides" as sides
        ) as grouped
      ) as sums
    ) || ',"unidades":' || '[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (
          select
            estabelecimento_id,
            (
              select "estabelecimentos"."nome"
              from "estabelecimentos"
              where "estabelecimentos"."salon_id" = unit_rows.estabelecimento_id
            ) as unidade_nome,
            assinado, atual, diferenca
          from (
            select
              "estabelecimento_id",
              figures_of (
                "signed_faturamento" as "faturamento",
                "signed_visitas" as "visitas", "signed_valor_servicos" as "valor_servicos",
                "signed_valor_produtos" as "valor_produtos",
                "signed_lancamentos" as "lancamentos", "signed_valor_lancamentos" as "valor_lancamentos"
              ) as "assinado",
              figures_of (
                "present_faturamento" as "faturamento",
                "present_visitas" as "visitas", "present_valor_servicos" as "valor_servicos",
                "present_valor_produtos" as "valor_produtos", "present_lancamentos" as "lancamentos",
                "present_valor_lancamentos" as "valor_lancamentos"
              ) as "atual",
              figures_of (
                "present_faturamento" - "signed_faturamento" as "faturamento",
                "present_visitas" - "signed_visitas" as "visitas",
                "present_valor_servicos" - "signed_valor_servicos" as "valor_servicos",
                "present_valor_produtos" - "signed_valor_produtos" as "valor_produtos",
                "present_lancamentos" - "signed_lancamentos" as "lancamentos",
                "present_valor_lancamentos" - "signed_valor_lancamentos" as "valor_lancamentos"
              ) as "diferenca"
            from (
              select
                "estabelecimento_id",
                signed_and_present ("faturamento"), signed_and_present ("visitas"),
                signed_and_present ("valor_servicos"), signed_and_present ("valor_produtos"),
                signed_and_present ("lancamentos"), signed_and_present ("valor_lancamentos")
              from "unit_sides" as sides
              group by "estabelecimento_id"
            ) as grouped
          ) as unit_rows
          order by estabelecimento_id collate "C"
        ) as record
      ),
      ''
    ) || ']' || ',"pagamentos":' || '[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (
          select
            "nome_conta_classificacao", "situacao",
            figures_of ("signed_pagamentos" as "pagamentos", "signed_valor" as "valor") as "assinado",
            figures_of ("present_pagamentos" as "pagamentos", "present_valor" as "valor") as "atual",
            figures_of ("present_pagamentos" - "signed_pagamentos" as "pagamentos", "present_valor" - "signed_valor" as "valor") as "diferenca"
          from (
            select
              "nome_conta_classificacao",
              "situacao", signed_and_present ("pagamentos"), signed_and_present ("valor")
            from (
              select true as is_signed, "nome_conta_classificacao", "situacao", "pagamentos", "valor"
              from
                signed,
                json_to_recordset(valores::json -> 'pagamentos') as signed_rows ("nome_conta_classificacao" text, "situacao" smallint, "pagamentos" numeric, "valor" numeric)
              union all
              select false, "nome_conta_classificacao", "situacao", "pagamentos", "valor"
              from (
                select nome_conta_classificacao, situacao, pagamentos, valor_total as valor
                from (
                  select
                    "key_0" as "nome_conta_classificacao",
                    "key_1" as "situacao", coalesce(sum(records), 0) as "pagamentos",
                    coalesce(round(sum("pagamentos_facts"."valor"), 2), 0.00) as "valor_total"
                  from (
                    select
                      "pagamentos_facts".*,
                      "pagamentos_facts"."nome_conta_classificacao" as "key_0",
                      "pagamentos_facts"."situacao" as "key_1"
                    from (
                      select
                        1 as "records", "pagamentos_facts"."valor" as "valor",
                        "pagamentos_facts"."nome_conta_classificacao" as "nome_conta_classificacao",
                        "pagamentos_facts"."situacao" as "situacao"
                      from "pagamentos_facts"
                      where
                        (
                          "pagamentos_facts"."due" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                          and "pagamentos_facts"."due" > '-infinity'
                          and "pagamentos_facts"."due" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
                        )
                    ) as "pagamentos_facts"
                  ) as "pagamentos_facts"
                  group by "key_0", "key_1"
                  having sum(records) > 0
                ) as payments
              ) as present_rows
            ) as sides
            group by "nome_conta_classificacao", "situacao"
          ) as grouped
          order by nome_conta_classificacao collate "C", situacao
        ) as record
      ),
      ''
    ) || ']' || ',"alteracoes":' || '[' || coalesce(
      (
        select string_agg(row_to_json(record)::text, ',')
        from (
          select
            lista, desde,
            case
              when desde is not null then gravados
            end as gravados, case when desde is not null then removidos end as removidos
          from (
            select
              0 as number,
              changes_since (
                visitas_facts, "visitas_facts"."at" >= :data_inicio
                and "visitas_facts"."at" > '-infinity'
                and "visitas_facts"."at" <= :data_fim, transacoes
              )
            union all
            select
              1 as number,
              changes_since (
                vendas_facts, "vendas_facts"."at" >= :data_inicio
                and "vendas_facts"."at" > '-infinity'
                and "vendas_facts"."at" <= :data_fim, vendas_produto
              )
            union all
            select
              2 as number,
              changes_since (
                lancamentos_facts,
                "lancamentos_facts"."due" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                and "lancamentos_facts"."due" > '-infinity'
                and "lancamentos_facts"."due" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date,
                lancamentos
              )
            union all
            select
              3 as number,
              changes_since (
                pagamentos_facts,
                "pagamentos_facts"."due" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                and "pagamentos_facts"."due" > '-infinity'
                and "pagamentos_facts"."due" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date,
                pagamentos_erp
              )
          ) as feeds
          order by number
        ) as record
      ),
      ''
    ) || ']' || '}' as body
  from signed
  offset 0
) as finished
