select "first", "last", "refusal", "matched_facts", body_if (body_fits)
from (
  with
    grouped as materialized (
      select
        "key_0" as "mes", grouping(key_0) = 1 as is_total,
        coalesce(sum(records), 0) as "lancamentos", coalesce(sum(records), 0) as records
      from (
        select "lancamentos_facts".*, starts_on as "key_0"
        from (
          select
            date_trunc('month', ("lancamentos_facts"."day")::timestamp)::date as "starts_on",
            1 as "records", "lancamentos_facts"."sent_to_salon" as "sent_to_salon",
            "lancamentos_facts"."pessoa" as "pessoa"
          from "lancamentos_facts"
          where
            (
              (
                "lancamentos_facts"."at" >= :data_inicio
                and "lancamentos_facts"."at" > '-infinity'
                and "lancamentos_facts"."at" <= :data_fim
                and "estabelecimento_id" = :estabelecimento_id
              )
              and isfinite("lancamentos_facts"."day")
            )
        ) as "lancamentos_facts"
        where
          (
            "lancamentos_facts"."sent_to_salon" = :sent_to_salon
            and "lancamentos_facts"."pessoa" = any (:pessoa::text[])
          )
      ) as "lancamentos_facts"
      group by grouping sets (("key_0"), ())
      having grouping(key_0) = 1 or sum(records) > 0
    ),
    periods ("lancamentos")
  offset 0
) as finished
