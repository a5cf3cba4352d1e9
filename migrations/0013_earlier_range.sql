-- The date and time on the clock in Brasília. The first instant of a day counts as midnight, also if clocks skipped it.
CREATE FUNCTION brasilia_clock(instant timestamptz) RETURNS timestamp LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN instant = brasilia_midnight((instant AT TIME ZONE 'America/Sao_Paulo')::date)
		THEN (instant AT TIME ZONE 'America/Sao_Paulo')::date::timestamp
		ELSE instant AT TIME ZONE 'America/Sao_Paulo'
	END
$$;
--> statement-breakpoint
-- The first instant with this date and time in Brasília. Clocks show an hour twice when summer time ends.
CREATE FUNCTION first_instant(clock timestamp) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN (clock AT TIME ZONE 'America/Sao_Paulo' - interval '1 hour') AT TIME ZONE 'America/Sao_Paulo' = clock
		THEN clock AT TIME ZONE 'America/Sao_Paulo' - interval '1 hour'
		ELSE clock AT TIME ZONE 'America/Sao_Paulo'
	END
$$;
--> statement-breakpoint
-- How far a range moves back to the one that it is compared with (R10). `comparison` is a value of `comparar`.
CREATE FUNCTION comparison_shift(comparison text, range_start timestamptz, range_end timestamptz)
RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE comparison
		WHEN 'anterior' THEN
			(brasilia_clock(range_end)::date - brasilia_clock(range_start)::date + 1) * interval '1 day'
		WHEN 'semana-anterior' THEN interval '7 days'
		WHEN 'mes-anterior' THEN interval '1 month'
		WHEN 'ano-anterior' THEN interval '1 year'
	END
$$;
--> statement-breakpoint
CREATE FUNCTION earlier_start(comparison text, range_start timestamptz, range_end timestamptz)
RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT first_instant(brasilia_clock(range_start) - comparison_shift(comparison, range_start, range_end))
$$;
--> statement-breakpoint
-- Moves the end of a range. If it is the first instant of a day, or the last day of whole months, so is the moved one.
CREATE FUNCTION moved_end(ends timestamptz, shift interval, is_whole_months boolean)
RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN ends = brasilia_midnight((ends AT TIME ZONE 'America/Sao_Paulo')::date) THEN first_instant(moved)
		ELSE moved AT TIME ZONE 'America/Sao_Paulo'
	END
	FROM (
		SELECT CASE
			WHEN is_whole_months
			THEN date_trunc('month', brasilia_clock(ends) - shift) + interval '1 month -1 day' + brasilia_clock(ends)::time
			ELSE brasilia_clock(ends) - shift
		END AS moved
	) AS moves
$$;
--> statement-breakpoint
-- The end of the range to compare with (R10, R23). `reached` moves in place of an end after it; null moves the end. If `reached` is
-- not after the start, the range is empty: it ends a microsecond before it starts.
CREATE FUNCTION earlier_end(comparison text, range_start timestamptz, range_end timestamptz, reached timestamptz)
RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT greatest(
		earlier_start(comparison, range_start, range_end) - interval '1 microsecond',
		CASE
			WHEN reached <= range_start AND reached < range_end THEN NULL
			WHEN reached < range_end THEN moved_end(reached, comparison_shift(comparison, range_start, range_end), false)
			ELSE moved_end(
				range_end,
				comparison_shift(comparison, range_start, range_end),
				comparison IN ('mes-anterior', 'ano-anterior')
					AND extract(day FROM brasilia_clock(range_start)) = 1
					AND extract(day FROM brasilia_clock(range_end) + interval '1 day') = 1
			)
		END
	)
$$;
