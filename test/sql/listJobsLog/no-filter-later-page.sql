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
        select
          '{"data":[' || (
            coalesce(
              (
                select
                  string_agg(row_to_json(record)::text, ',')
                from
                  (
                    select
                      "jobs_log"."id" as "id",
                      "jobs_log"."queue" as "queue",
                      "jobs_log"."job_id" as "job_id",
                      "jobs_log"."job_name" as "job_name",
                      "jobs_log"."status" as "status",
                      "jobs_log"."error" as "error",
                      "jobs_log"."duration_ms" as "duration_ms",
                      "jobs_log"."created_at" as "created_at"
                    from
                      (
                        select
                          "jobs_log".*
                        from
                          (
                            with
                              target as materialized (
                                select
                                  :offset::bigint as n
                              ),
                              months as (
                                select
                                  starts_on,
                                  sum(records) as records,
                                  sum(sum(records)) over (
                                    order by
                                      starts_on desc
                                  ) - sum(records) as above
                                from
                                  "jobs_log_rollup"
                                where
                                  grain = 'month'
                                group by
                                  starts_on
                              ),
                              month as materialized (
                                select
                                  starts_on,
                                  above
                                from
                                  months
                                where
                                  above <= (
                                    select
                                      n
                                    from
                                      target
                                  )
                                  and above + records > (
                                    select
                                      n
                                    from
                                      target
                                  )
                              ),
                              days as (
                                select
                                  starts_on,
                                  sum(records) as records,
                                  (
                                    select
                                      above
                                    from
                                      month
                                  ) + sum(sum(records)) over (
                                    order by
                                      starts_on desc
                                  ) - sum(records) as above
                                from
                                  "jobs_log_rollup"
                                where
                                  (
                                    grain = 'day'
                                    and starts_on between (
                                      select
                                        starts_on
                                      from
                                        month
                                    ) and (
                                      select
                                        starts_on + 30
                                      from
                                        month
                                    )
                                    and date_trunc('month', (starts_on)::timestamp)::date = (
                                      select
                                        starts_on
                                      from
                                        month
                                    )
                                  )
                                group by
                                  starts_on
                              ),
                              day as materialized (
                                select
                                  case starts_on
                                    when '294276-12-31' then timestamptz '294276-12-31 23:59:59.999999Z'
                                    else brasilia_midnight (starts_on + 1) - interval '1 microsecond'
                                  end as ends,
                                  (
                                    select
                                      n
                                    from
                                      target
                                  ) - above as skip
                                from
                                  days
                                where
                                  above <= (
                                    select
                                      n
                                    from
                                      target
                                  )
                                  and above + records > (
                                    select
                                      n
                                    from
                                      target
                                  )
                              )
                            select
                              id
                            from
                              "jobs_log_rollup_source"
                            where
                              at <= (
                                select
                                  ends
                                from
                                  day
                              )
                            order by
                              at desc,
                              id desc
                            limit
                              :per_page::bigint
                            offset
                              (
                                select
                                  skip
                                from
                                  day
                              )
                          ) as page_ids
                          join "jobs_log" using (id)
                        order by
                          "jobs_log"."created_at" desc,
                          "jobs_log"."id" desc
                      ) as "jobs_log"
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
              (
                select
                  records as "records"
                from
                  "jobs_log_rollup"
                where
                  grain = 'all'
              ) as parts
          ) as counted (total)
        offset
          0
      ) as page (body, link_value)
    offset
      0
  ) as finished
