select "first", "last", "refusal", "matched_facts", body_if (body_fits)
from (
  with
    grouped as materialized (
      select
        "key_0" as "mes", grouping(key_0) = 1 as is_total,
        coalesce(sum(records), 0) as "pagamentos", coalesce(sum(records), 0) as records
      from (
        select "pagamentos_facts".*, starts_on as "key_0"
        from (
          select
            date_trunc('month', ("pagamentos_facts"."paid")::timestamp)::date as "starts_on",
            1 as "records", "pagamentos_facts"."situacao" as "situacao",
            "pagamentos_facts"."id_centro_custo" as "id_centro_custo",
            "pagamentos_facts"."nome_conta_classificacao" as "nome_conta_classificacao",
            "pagamentos_facts"."valor_exato" as "valor_exato"
          from "pagamentos_facts"
          where
            (
              (
                "pagamentos_facts"."paid" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                and "pagamentos_facts"."paid" > '-infinity'
                and "pagamentos_facts"."paid" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
              )
              and isfinite("pagamentos_facts"."paid")
            )
        ) as "pagamentos_facts"
        where
          (
            "pagamentos_facts"."situacao" = :situacao
            and "pagamentos_facts"."id_centro_custo" = :id_centro_custo
            and "pagamentos_facts"."nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
            and "pagamentos_facts"."valor_exato" >= :valor_min::numeric
            and "pagamentos_facts"."valor_exato" <> 'NaN'
          )
      ) as "pagamentos_facts"
      group by grouping sets (("key_0"), ())
      having grouping(key_0) = 1 or sum(records) > 0
    ),
    periods ("pagamentos")
  offset 0
) as finished
