select "link_value", body_if (body_fits or :per_page::bigint = 1)
from (
  page (
    select
      "jobs_log"."id" as "id", "jobs_log"."queue" as "queue", "jobs_log"."job_id" as "job_id",
      "jobs_log"."job_name" as "job_name", "jobs_log"."status" as "status", "jobs_log"."error" as "error",
      "jobs_log"."duration_ms" as "duration_ms", "jobs_log"."created_at" as "created_at"
    from (
      select *
      from "jobs_log"
      where
        (
          ("job_name" = :job_name and "status" = :status)
          and "jobs_log"."created_at" >= :data_inicio
          and "jobs_log"."created_at" > '-infinity'
          and "jobs_log"."created_at" <= :data_fim
        )
      order by "jobs_log"."created_at" desc, "jobs_log"."id" desc
      limit :per_page::bigint
    ) as "jobs_log",
    select coalesce(sum(records), 0)::bigint
    from (
      range (records as "records", jobs_log_rollup, ("job_name" = :job_name and "status" = :status))
    ) as parts
  )
  offset 0
) as finished
