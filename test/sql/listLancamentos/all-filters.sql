select "link_value", body_if (body_fits or :per_page::bigint = 1)
from (
  with
    blocks as materialized (
      select
        block,
        sum(records) as records, sum(sum(records)) over (order by block desc) - sum(records) as before
      from (
        range (
          "block", records as "records", lancamentos_rollup,
          ("estabelecimento_id" = :estabelecimento_id and "sent_to_salon" = :sent_to_salon)
        )
      ) as parts
      group by block
      having sum(records) > 0
    ) page (
      select columns_of_lancamentos ()
      from (
        select "lancamentos".*
        from (
          select id
          from "lancamentos_rollup_source"
          where
            (
              ("estabelecimento_id" = :estabelecimento_id and "sent_to_salon" = :sent_to_salon)
              and at >= :data_inicio
              and at > '-infinity'
              and at <= :data_fim
              and id < (
                select
                  (
                    select block
                    from blocks
                    where before <= 0::bigint and before + records > 0::bigint
                  ) + 1
              ) * 16384
              and id >= (
                select min(block)
                from blocks
                where before < 0::bigint + :per_page::bigint
              ) * 16384
            )
          order by id desc
          limit :per_page::bigint
          offset
            (
              select 0::bigint - before
              from blocks
              where before <= 0::bigint and before + records > 0::bigint
            )
        ) as page_ids
        join "lancamentos" using (id)
        order by "lancamentos"."id" desc
      ) as "lancamentos",
      select coalesce(sum(records), 0)::bigint
      from blocks
    )
  offset 0
) as finished
