-- How far the data reaches (R23): the start of the newest run that fetched visits, rounded down to the minute; null without one. A run
-- that started at 14:04 and completed at 14:09 has all visits until 14:04. Runs may overlap, so it is the latest start of the last 20
-- completed ones. The clamp keeps times near the first that Postgres can store in range.
CREATE FUNCTION data_reached(present timestamptz) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
	WITH run AS MATERIALIZED (
		SELECT id, job_id, greatest(created_at, '4712-01-01 BC') AS completed_at,
			interval '1 millisecond' * greatest(coalesce(duration_ms, 0), 0) AS duration
		FROM jobs_log
		WHERE job_name = 'sync-transacoes' AND status = 'completed' AND created_at > '-infinity' AND created_at <= present
		ORDER BY created_at DESC, id DESC
		LIMIT 20
	), started AS MATERIALIZED (
		SELECT job_id, created_at
		FROM jobs_log
		WHERE job_name = 'sync-transacoes' AND status = 'started'
			AND created_at BETWEEN (SELECT min(completed_at) - interval '24 hours' FROM run) AND present
	)
	SELECT date_trunc('minute', max(started_at), 'UTC')
	FROM (
		SELECT coalesce(max(started.created_at), run.completed_at - run.duration) AS started_at
		FROM run
			LEFT JOIN started ON started.job_id = run.job_id
				AND started.created_at BETWEEN run.completed_at - interval '24 hours' AND run.completed_at
		GROUP BY run.id, run.completed_at, run.duration
	) AS starts
$$;
--> statement-breakpoint
-- What moves instead of an end that the data has not reached (R23): without a run, `present` in minutes.
CREATE FUNCTION data_instant(present timestamptz) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT coalesce(data_reached(present), date_trunc('minute', present, 'UTC'))
$$;
--> statement-breakpoint
-- Holds all that `data_reached` reads.
CREATE INDEX "jobs_log_runs" ON "jobs_log" USING btree ("status","created_at","id","job_id","duration_ms") WHERE "job_name" = 'sync-transacoes';
