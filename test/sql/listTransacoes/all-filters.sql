select "link_value", body_if (body_fits or :per_page::bigint = 1)
from (
  with
    professionals () page (
      select columns_of_transacoes ()
      from (
        select *
        from "transacoes"
        where
          (
            (
              "cliente_salon_id" = :cliente_salon_id
              and "estabelecimento_id" = :estabelecimento_id
              and "sent_to_erp" = :sent_to_erp
            )
            and (
              "transacoes"."data_hora" >= :data_inicio
              and "transacoes"."data_hora" > '-infinity'
              and "transacoes"."data_hora" <= :data_fim
            )
          )
        order by "transacoes"."data_hora" desc, "transacoes"."id" desc
        limit :per_page::bigint
      ) as "transacoes",
      select count(*)
      from "transacoes"
      where
        (
          (
            "cliente_salon_id" = :cliente_salon_id
            and "estabelecimento_id" = :estabelecimento_id
            and "sent_to_erp" = :sent_to_erp
          )
          and (
            "transacoes"."data_hora" >= :data_inicio
            and "transacoes"."data_hora" > '-infinity'
            and "transacoes"."data_hora" <= :data_fim
          )
        )
    )
  offset 0
) as finished
