select set_config('salon.settled_id', settled_id ('pagamentos_erp')::text, true)
;

select
  '' || body as body,
  records, last, (select min(id) from "pagamentos_erp" where id > upto and id <= last) as following
from (
  select *, current_setting('salon.settled_id')::bigint as last
  from (
    select
      coalesce(string_agg(line, '') filter (where fits), '') as body,
      count(*) filter (where fits) as records,
      case
        when count(*) = :size::int
        or not bool_and(fits) then max(id) filter (where fits)
        else :to::bigint
      end as upto
    from (
      select
        id, line, row_number() over by_id = 1
        or sum(octet_length(line)) over by_id <= 4194304 as fits
      from (
        select part_id as id, row_to_json(record)::text || E' ' as line
        from (
          select "pagamentos_erp".*, part_ids.id as part_id
          from (
            select id
            from "pagamentos_facts"
            where
              (
                (
                  "situacao" = :situacao
                  and "id_centro_custo" = :id_centro_custo
                  and "nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
                )
                and (
                  "pagamentos_facts"."paid" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                  and "pagamentos_facts"."paid" > '-infinity'
                  and "pagamentos_facts"."paid" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
                  and "pagamentos_facts"."valor_exato" >= :valor_min::numeric
                  and "pagamentos_facts"."valor_exato" < 'NaN'
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
                and id > :after::bigint
                and id <= :to::bigint
                and id <= current_setting('salon.settled_id')::bigint
              )
            order by id
            limit :size::int
          ) as part_ids,
          lateral (
            select *
            from "pagamentos_erp"
            where id = part_ids.id
            limit 1
          ) as "pagamentos_erp"
        ) as "pagamentos_erp"
        cross join lateral (select columns_of_pagamentos_erp ()) as record
        order by part_id
        offset 0
      ) as lines
      window by_id as (order by id rows unbounded preceding)
    ) as measured
  ) as part
  offset 0
) as reached
