select
  set_config('salon.settled_id', settled_id ('lancamentos')::text, true)
;

select
  case
    when body_fits
    or :per_page::integer = 1 then body
  end as body,
  "link_value",
  sha256_of (
    case
      when body_fits
      or :per_page::integer = 1 then body
      else left(body, 1)
    end
  ) as tag
from
  (
    select
      '{"data":[' || (
        coalesce(items, '') || (
          '],"pagination":{"per_page":' || :per_page::integer || ',"next_after_id":' || coalesce(next::text, 'null') || ',"has_more":' || (next is not null)::text || '}}'
        )
      ) as body,
      next as link_value
    from
      (
        select
          string_agg(item, ',') filter (
            where
              number <= :per_page::integer
          ) as items,
          case
            when count(*) > :per_page::integer then max(id) filter (
              where
                number <= :per_page::integer
            )
          end as next
        from
          (
            select
              "lancamentos"."id" as id,
              row_number() over (
                order by
                  "lancamentos"."id"
              ) as number,
              row_to_json(record)::text as item
            from
              (
                select
                  "lancamentos".*
                from
                  (
                    with
                      blocks as materialized (
                        select
                          block,
                          sum(records) as records,
                          sum(sum(records)) over (
                            order by
                              block asc
                          ) - sum(records) as before
                        from
                          (
                            select
                              "block",
                              records as "records"
                            from
                              "lancamentos_rollup"
                            where
                              (
                                grain = 'month'
                                and (
                                  "estabelecimento_id" = :estabelecimento_id
                                  and "sent_to_salon" = :sent_to_salon
                                )
                                and starts_on > '-infinity'
                                and starts_on >= month_of (day_of (:data_inicio::timestamptz))
                                and starts_on < month_of (day_of (after (:data_fim)))
                              )
                            union all
                            select
                              "block",
                              records * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as "records"
                            from
                              "lancamentos_rollup"
                            where
                              (
                                grain = 'day'
                                and (
                                  "estabelecimento_id" = :estabelecimento_id
                                  and "sent_to_salon" = :sent_to_salon
                                )
                                and is_between (starts_on, month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz))
                              )
                            union all
                            select
                              "block",
                              1 * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as "records"
                            from
                              "lancamentos_rollup_source"
                            where
                              (
                                (
                                  "estabelecimento_id" = :estabelecimento_id
                                  and "sent_to_salon" = :sent_to_salon
                                )
                                and is_between (at, brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz)
                              )
                            union all
                            select
                              "block",
                              records * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as "records"
                            from
                              "lancamentos_rollup"
                            where
                              (
                                grain = 'day'
                                and (
                                  "estabelecimento_id" = :estabelecimento_id
                                  and "sent_to_salon" = :sent_to_salon
                                )
                                and is_between (starts_on, month_of (day_of (after (:data_fim))), day_of (after (:data_fim)))
                              )
                            union all
                            select
                              "block",
                              1 * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as "records"
                            from
                              "lancamentos_rollup_source"
                            where
                              (
                                (
                                  "estabelecimento_id" = :estabelecimento_id
                                  and "sent_to_salon" = :sent_to_salon
                                )
                                and is_between (at, brasilia_midnight (day_of (after (:data_fim))), after (:data_fim))
                              )
                          ) as parts
                        group by
                          block
                        having
                          sum(records) > 0
                      )
                    select
                      id
                    from
                      "lancamentos_rollup_source"
                    where
                      (
                        (
                          "estabelecimento_id" = :estabelecimento_id
                          and "sent_to_salon" = :sent_to_salon
                        )
                        and at >= :data_inicio
                        and at > '-infinity'
                        and at <= :data_fim
                        and id > :after_id
                        and id <= current_setting('salon.settled_id')::bigint
                        and id >= (
                          select
                            min(block)
                          from
                            blocks
                          where
                            block >= :after_id::bigint / 16384
                        ) * 16384
                        and id < (
                          select
                            coalesce(
                              (
                                select
                                  min(block)
                                from
                                  blocks
                                where
                                  block > :after_id::bigint / 16384
                                  and before + records >= :per_page::integer + 1 + (
                                    select
                                      coalesce(sum(records), 0)
                                    from
                                      blocks
                                    where
                                      block <= :after_id::bigint / 16384
                                  )
                              ),
                              max(block)
                            ) + 1
                          from
                            blocks
                        ) * 16384
                      )
                    order by
                      id
                    limit
                      :per_page::integer + 1
                  ) as page_ids
                  join "lancamentos" using (id)
                order by
                  "lancamentos"."id" asc
              ) as "lancamentos"
              cross join lateral (
                select
                  "lancamentos"."id" as "id",
                  "lancamentos"."salon_id" as "salon_id",
                  "lancamentos"."estabelecimento_id" as "estabelecimento_id",
                  "lancamentos"."raw_data" as "raw_data",
                  "lancamentos"."synced_at" as "synced_at",
                  "lancamentos"."sent_to_salon" as "sent_to_salon",
                  "lancamentos"."sent_at" as "sent_at"
              ) as record
          ) as numbered
      ) as page_items
    offset
      0
  ) as finished
