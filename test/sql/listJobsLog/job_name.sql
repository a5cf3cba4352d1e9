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
                          *
                        from
                          "jobs_log"
                        where
                          "job_name" = :job_name
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
                  (
                    grain = 'all'
                    and "job_name" = :job_name
                  )
              ) as parts
          ) as counted (total)
        offset
          0
      ) as page (body, link_value)
    offset
      0
  ) as finished
