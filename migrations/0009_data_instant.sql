-- How far the data reaches (R23): the start of the newest run that fetched visits, rounded down to the minute. A run that started at
-- 14:04 and completed at 14:09 has all visits until 14:04. Runs may overlap, so it is the latest start of the last 20 completed ones.
-- Without a completed run it is `present`, in minutes. STABLE, so that the planner knows the value of a bound.
--
-- The clamp keeps times near the first that Postgres can store in range.
CREATE FUNCTION data_instant(present timestamptz) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT date_trunc('minute', coalesce(max(coalesce(
		(
			SELECT started.created_at
			FROM jobs_log AS started
			WHERE started.job_name = 'sync-transacoes' AND started.status = 'started' AND started.job_id = run.job_id
				AND started.created_at BETWEEN run.completed_at - interval '24 hours' AND run.completed_at
			ORDER BY started.created_at DESC
			LIMIT 1
		),
		run.completed_at - interval '1 millisecond' * greatest(coalesce(run.duration_ms, 0), 0)
	)), present), 'UTC')
	FROM (
		SELECT job_id, duration_ms, greatest(created_at, '4712-01-01 BC') AS completed_at
		FROM jobs_log
		WHERE job_name = 'sync-transacoes' AND status = 'completed' AND created_at > '-infinity' AND created_at <= present
		ORDER BY created_at DESC, id DESC
		LIMIT 20
	) AS run
$$;
