select
  case
    when octet_length(body) <= 4194304
    or :per_page::bigint = 1 then body
  end as body,
  "link_value",
  encode(
    sha256(
      convert_to(
        case
          when octet_length(body) <= 4194304
          or :per_page::bigint = 1 then body
          else left(body, 1)
        end,
        'UTF8'
      )
    ),
    'hex'
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
                and starts_on >= date_trunc(
                  'month',
                  (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                )::date
                and starts_on < date_trunc(
                  'month',
                  (
                    (
                      (
                        ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                      ) + interval '12 hours'
                    )::date + 15
                  )::timestamp
                )::date
              )
            union all
            select
              case
                when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date <= date_trunc(
                  'month',
                  (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                )::date then records
                else - records
              end as "records"
            from
              "jobs_log_rollup"
            where
              (
                grain = 'day'
                and (
                  "job_name" = :job_name
                  and "status" = :status
                )
                and starts_on >= least(
                  date_trunc(
                    'month',
                    (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                  )::date,
                  ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date
                )
                and starts_on < greatest(
                  date_trunc(
                    'month',
                    (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date + 15)::timestamp
                  )::date,
                  ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date
                )
              )
            union all
            select
              case
                when :data_inicio::timestamptz <= brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date) then 1
                else -1
              end as "records"
            from
              "jobs_log_rollup_source"
            where
              (
                (
                  "job_name" = :job_name
                  and "status" = :status
                )
                and at >= least(
                  brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date),
                  :data_inicio::timestamptz
                )
                and at < greatest(
                  brasilia_midnight (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo') + interval '12 hours')::date),
                  :data_inicio::timestamptz
                )
              )
            union all
            select
              case
                when date_trunc(
                  'month',
                  (
                    (
                      (
                        ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                      ) + interval '12 hours'
                    )::date + 15
                  )::timestamp
                )::date <= (
                  (
                    ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                  ) + interval '12 hours'
                )::date then records
                else - records
              end as "records"
            from
              "jobs_log_rollup"
            where
              (
                grain = 'day'
                and (
                  "job_name" = :job_name
                  and "status" = :status
                )
                and starts_on >= least(
                  date_trunc(
                    'month',
                    (
                      (
                        (
                          ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                        ) + interval '12 hours'
                      )::date + 15
                    )::timestamp
                  )::date,
                  (
                    (
                      ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                    ) + interval '12 hours'
                  )::date
                )
                and starts_on < greatest(
                  date_trunc(
                    'month',
                    (
                      (
                        (
                          ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                        ) + interval '12 hours'
                      )::date + 15
                    )::timestamp
                  )::date,
                  (
                    (
                      ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                    ) + interval '12 hours'
                  )::date
                )
              )
            union all
            select
              case
                when brasilia_midnight (
                  (
                    (
                      ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                    ) + interval '12 hours'
                  )::date
                ) <= ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') then 1
                else -1
              end as "records"
            from
              "jobs_log_rollup_source"
            where
              (
                (
                  "job_name" = :job_name
                  and "status" = :status
                )
                and at >= least(
                  brasilia_midnight (
                    (
                      (
                        ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                      ) + interval '12 hours'
                    )::date
                  ),
                  ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')
                )
                and at < greatest(
                  brasilia_midnight (
                    (
                      (
                        ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC') at time zone 'America/Sao_Paulo'
                      ) + interval '12 hours'
                    )::date
                  ),
                  ((:data_fim::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC')
                )
              )
          ) as parts
      ) as counted (total)
    offset
      0
  ) as finished
