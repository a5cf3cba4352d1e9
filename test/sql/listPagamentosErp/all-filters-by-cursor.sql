select set_config('salon.settled_id', settled_id ('pagamentos_erp')::text, true)
;

select "link_value", body_if (body_fits or :per_page::integer = 1)
from (
  page_by_cursor (
    pagamentos_erp, select *
    from "pagamentos_erp"
    where
      (
        (
          "situacao" = :situacao
          and "id_centro_custo" = :id_centro_custo
          and "nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
        )
        and (
          "pagamentos_erp"."data_pagamento" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
          and "pagamentos_erp"."data_pagamento" > '-infinity'
          and "pagamentos_erp"."data_pagamento" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
          and "pagamentos_erp"."valor" >= :valor_min::numeric
          and "pagamentos_erp"."valor" < 'NaN'
          and (
            coalesce(
              id_centro_custo in (
                select centre
                from (units_of_centres ()) as centres
                where "unit" = :da_unidade
              ),
              false
            )
            and coalesce(
              id_centro_custo in (select centre from (units_of_centres ()) as centres),
              false
            ) <> :sem_unidade
          )
        )
        and id > :after_id
        and id <= current_setting('salon.settled_id')::bigint
      )
    order by "pagamentos_erp"."id" asc
    limit :per_page::integer + 1, columns_of_pagamentos_erp ()
  )
  offset 0
) as finished
