select
  case
    when body_fits
    or :per_page::bigint = 1 then body
  end as body,
  "link_value",
  sha256_of (
    case
      when body_fits
      or :per_page::bigint = 1 then body
      else left(body, 1)
    end
  ) as tag
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
                            (
                              "estabelecimento_id" = :estabelecimento_id
                              and "sent_to_salon" = :sent_to_salon
                            )
                            and at >= :data_inicio
                            and at > '-infinity'
                            and at <= :data_fim
                            and id < (
                              select
                                (
                                  select
                                    block
                                  from
                                    blocks
                                  where
                                    before <= 0::bigint
                                    and before + records > 0::bigint
                                ) + 1
                            ) * 16384
                            and id >= (
                              select
                                min(block)
                              from
                                blocks
                              where
                                before < 0::bigint + :per_page::bigint
                            ) * 16384
                          )
                        order by
                          id desc
                        limit
                          :per_page::bigint
                        offset
                          (
                            select
                              0::bigint - before
                            from
                              blocks
                            where
                              before <= 0::bigint
                              and before + records > 0::bigint
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
      total as link_value
    from
      (
        select
          coalesce(sum(records), 0)::bigint
        from
          blocks
      ) as counted (total)
    offset
      0
  ) as finished
