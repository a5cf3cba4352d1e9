select
  mapped ->> 'profissional_nome' as profissional,
  profissional_salon_id, estabelecimento_id, visitas as total_transacoes, valor_total
from (
  select
    *,
    coalesce(
      (select by_unit from professionals) -> estabelecimento_id -> profissional_salon_id,
      (select anywhere from professionals) -> profissional_salon_id,
      '{"profissional_nome": null, "erp_centro_custo_id": null}'
    ) as mapped
  from (
    select
      "key_0" as "estabelecimento_id",
      "key_1" as "profissional_salon_id", coalesce(sum(records), 0) as "visitas",
      coalesce(round(sum("transacoes_profissional_rollup"."total"), 2), 0.00) as "valor_total"
    from (
      select
        "transacoes_profissional_rollup".*,
        "transacoes_profissional_rollup"."estabelecimento_id" as "key_0",
        "transacoes_profissional_rollup"."profissional" as "key_1"
      from (
        range (
          "estabelecimento_id", "profissional", records as "records", "total" as "total",
          transacoes_profissional_rollup, "estabelecimento_id" = :estabelecimento_id
        )
      ) as "transacoes_profissional_rollup"
    ) as "transacoes_profissional_rollup"
    group by "key_0", "key_1"
    having sum(records) > 0
  ) as sums
  offset 0
) as people
