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
                      *
                    from
                      "jobs_log"
                    where
                      (
                        (
                          "job_name" = :job_name
                          and "status" = :status
                        )
                        and "jobs_log"."created_at" >= :data_inicio
                        and "jobs_log"."created_at" > '-infinity'
                        and "jobs_log"."created_at" <= :data_fim
                      )
                    order by
                      "jobs_log"."created_at" desc,
                      "jobs_log"."id" desc
                    limit
                      :per_page::bigint
                  ) as "jobs_log"
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
          (
            select
              records as "records"
            from
              "jobs_log_rollup"
            where
              (
                grain = 'month'
                and (
                  "job_name" = :job_name
                  and "status" = :status
                )
                and starts_on > '-infinity'
                and starts_on >= month_of (day_of (:data_inicio::timestamptz))
                and starts_on < month_of (day_of (after (:data_fim)))
              )
            union all
            select
              records * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as "records"
            from
              "jobs_log_rollup"
            where
              (
                grain = 'day'
                and (
                  "job_name" = :job_name
                  and "status" = :status
                )
                and is_between (starts_on, month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz))
              )
            union all
            select
              1 * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as "records"
            from
              "jobs_log_rollup_source"
            where
              (
                (
                  "job_name" = :job_name
                  and "status" = :status
                )
                and is_between (at, brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz)
              )
            union all
            select
              records * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as "records"
            from
              "jobs_log_rollup"
            where
              (
                grain = 'day'
                and (
                  "job_name" = :job_name
                  and "status" = :status
                )
                and is_between (starts_on, month_of (day_of (after (:data_fim))), day_of (after (:data_fim)))
              )
            union all
            select
              1 * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as "records"
            from
              "jobs_log_rollup_source"
            where
              (
                (
                  "job_name" = :job_name
                  and "status" = :status
                )
                and is_between (at, brasilia_midnight (day_of (after (:data_fim))), after (:data_fim))
              )
          ) as parts
      ) as counted (total)
    offset
      0
  ) as finished
