const DAYS = 60;
/** Runs of the three jobs: each runs hourly, 20 minutes apart. */
export const RUNS = DAYS * 24 * 3;

/**
 * Runs $1 to $2 as the workers log them: one row at the start, one at the end. The last run has not ended. Deliberate
 * faults: a gap of twelve hours, skipped runs, three-hour blocks in which all runs may fail, and 1 % of runs without
 * an id.
 */
export const jobs = `
insert into jobs_log (queue, job_id, job_name, status, error, duration_ms, created_at)
select 'sync', case when pg_temp.r(i, 'job id') < 0.99 then 'J' || i end, job_name,
  case when not has_ended then 'started' when error is null then 'completed' else 'failed' end,
  case when has_ended then error end, case when has_ended then ms end,
  started_at + case when has_ended then ms else 0 end * interval '1 millisecond'
from (
  select *, case when error like 'timeout%' then 30000 else 1500 end + floor(pg_temp.r(i, 'ms') * 25000)::int as ms
  from (
    select i, (array['sync-transacoes','send-receber','send-pagar'])[1 + (i - 1) % 3] as job_name,
      pg_temp.now_() - (${RUNS} - i) * interval '20 minutes' - interval '30 seconds' as started_at,
      case when i <= ${RUNS - 9} and pg_temp.r(i, 'fails') < case when (i - 1) / 9 = ${RUNS / 9 - 4} or pg_temp.r((i - 1) / 9, 'down') < 0.05 then 0.8 else 0.015 end
        then pg_temp.pick(i, 'why', case when i % 3 = 1 then array['timeout after 30000 ms','HTTP 502 from the salon system']
          else array['timeout after 30000 ms','HTTP 503 from the ERP','ERP refused the batch'] end) end as error
    from generate_series($1::bigint, $2::bigint) i
    where i > ${RUNS - 72} or ((i - 1) / 36 <> 40 and pg_temp.r(i, 'left out') >= 0.006)
    offset 0
  ) run
  offset 0
) run
cross join (values (false), (true)) as row (has_ended)
where not (has_ended and i = ${RUNS})
order by i, has_ended`;
