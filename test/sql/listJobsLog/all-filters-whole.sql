part (
  jobs_log, select id
  from "jobs_log_rollup_source"
  where
    (
      ("job_name" = :job_name and "status" = :status)
      and at >= :data_inicio
      and at > '-infinity'
      and at <= :data_fim
      and id > :after::bigint
      and id <= :to::bigint
    ),
    "jobs_log"."id" as "id", "jobs_log"."queue" as "queue", "jobs_log"."job_id" as "job_id",
    "jobs_log"."job_name" as "job_name", "jobs_log"."status" as "status", "jobs_log"."error" as "error",
    "jobs_log"."duration_ms" as "duration_ms", "jobs_log"."created_at" as "created_at"
)
