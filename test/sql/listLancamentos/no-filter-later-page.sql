select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    select
      case
        when octet_length(body) <= 4194304
        or :per_page::bigint = 1 then body
      end as body,
      link_value
    from
      (
        with
          blocks as materialized (
            select
              block,
              sum(records) as records,
              sum(sum(records)) over (
                order by
                  block desc
              ) - sum(records) as before
            from
              (
                select
                  "block",
                  records as "records"
                from
                  "lancamentos_rollup"
                where
                  grain = 'all'
              ) as parts
            group by
              block
            having
              sum(records) > 0
          )
        select
          '{"data":[' || (
            coalesce(
              (
                select
                  string_agg(row_to_json(record)::text, ',')
                from
                  (
                    select
                      "lancamentos"."id" as "id",
                      "lancamentos"."salon_id" as "salon_id",
                      "lancamentos"."estabelecimento_id" as "estabelecimento_id",
                      "lancamentos"."raw_data" as "raw_data",
                      "lancamentos"."synced_at" as "synced_at",
                      "lancamentos"."sent_to_salon" as "sent_to_salon",
                      "lancamentos"."sent_at" as "sent_at"
                    from
                      (
                        select
                          "lancamentos".*
                        from
                          (
                            select
                              id
                            from
                              "lancamentos_rollup_source"
                            where
                              (
                                id < (
                                  select
                                    (
                                      select
                                        block
                                      from
                                        blocks
                                      where
                                        before <= :offset::bigint
                                        and before + records > :offset::bigint
                                    ) + 1
                                ) * 16384
                                and id >= (
                                  select
                                    min(block)
                                  from
                                    blocks
                                  where
                                    before < :offset::bigint + :per_page::bigint
                                ) * 16384
                              )
                            order by
                              id desc
                            limit
                              :per_page::bigint
                            offset
                              (
                                select
                                  :offset::bigint - before
                                from
                                  blocks
                                where
                                  before <= :offset::bigint
                                  and before + records > :offset::bigint
                              )
                          ) as page_ids
                          join "lancamentos" using (id)
                        order by
                          "lancamentos"."id" desc
                      ) as "lancamentos"
                  ) as record
              ),
              ''
            ) || (
              '],"pagination":{"page":' || :page || ',"per_page":' || :per_page::bigint || ',"total":' || total || ',"total_pages":' || (total + :per_page::bigint - 1) / :per_page::bigint || '}}'
            )
          ) as body,
          total
        from
          (
            select
              coalesce(sum(records), 0)::bigint
            from
              blocks
          ) as counted (total)
        offset
          0
      ) as page (body, link_value)
    offset
      0
  ) as finished
