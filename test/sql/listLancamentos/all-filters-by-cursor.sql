select set_config('salon.settled_id', settled_id ('lancamentos')::text, true)
;

select "link_value", body_if (body_fits or :per_page::integer = 1)
from (
  page_by_cursor (
    lancamentos, select "lancamentos".*
    from (
      with
        blocks as materialized (
          select
            block,
            sum(records) as records, sum(sum(records)) over (order by block asc) - sum(records) as before
          from (
            range (
              "block", records as "records", lancamentos_rollup,
              ("estabelecimento_id" = :estabelecimento_id and "sent_to_salon" = :sent_to_salon)
            )
          ) as parts
          group by block
          having sum(records) > 0
        )
      select id
      from "lancamentos_rollup_source"
      where
        (
          ("estabelecimento_id" = :estabelecimento_id and "sent_to_salon" = :sent_to_salon)
          and at >= :data_inicio
          and at > '-infinity'
          and at <= :data_fim
          and id > :after_id
          and id <= current_setting('salon.settled_id')::bigint
          and id >= (select min(block) from blocks where block >= :after_id::bigint / 16384) * 16384
          and id < (
            select
              coalesce(
                (
                  select min(block)
                  from blocks
                  where
                    block > :after_id::bigint / 16384
                    and before + records >= :per_page::integer + 1 + (
                      select coalesce(sum(records), 0)
                      from blocks
                      where block <= :after_id::bigint / 16384
                    )
                ),
                max(block)
              ) + 1
            from blocks
          ) * 16384
        )
      order by id
      limit :per_page::integer + 1
    ) as page_ids
    join "lancamentos" using (id)
    order by "lancamentos"."id" asc, columns_of_lancamentos ()
  )
  offset 0
) as finished
