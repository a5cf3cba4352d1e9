-- The sums behind totals, deep pages and reports, kept exact by the tables themselves: whoever writes a table with
-- INSERT, UPDATE, DELETE, upsert, COPY or TRUNCATE knows nothing of them. Why each exists, where an index is not enough:
--
--   transacoes_rollup         count and sum under the list's filters: a total, the summary, where page N begins
--   transacoes_report_rollup  the two reports that group visits: an index would be read whole, and the services opened
--   lancamentos_rollup        the list's order is the id and its range `synced_at`, so no index serves both: by day and block
--   pagamentos_erp_rollup     the same, over `data_vencimento`
--   vendas_produto_rollup     total and page N
--   jobs_log_rollup           total and page N
--
-- Catalogue, professionals and units are small: counting them through an index is as good, and they have no sums.

-- Compiling a statement costs more than any of ours takes.
DO $$ BEGIN
	EXECUTE format('ALTER ROLE salon_api IN DATABASE %I SET jit = off', current_database());
END $$;
--> statement-breakpoint
-- The lowest number no other open transaction writes under. Each writer adds to rows of its own, so that loaders
-- neither wait for one another nor deadlock, whatever order they write in; the number is free again when the
-- transaction ends, so a few loaders leave few rows. (A loader at REPEATABLE READ may be told to try again, 40001,
-- as it must always expect to be.)
CREATE FUNCTION rollup_writer() RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
	FOR writer IN 0..15 LOOP
		IF pg_try_advisory_xact_lock(727002, writer) THEN
			RETURN writer;
		END IF;
	END LOOP;
	RETURN 16 + pg_backend_pid();
END $$;
--> statement-breakpoint
-- One row is one rollup. `adds` tells what a row of the table adds to it, as a select whose FROM is ROWS: the table
-- itself for the view `<rollup>_source`, its new and old rows for the triggers. It names `id`, `at` (what the list is
-- ordered by or ranges over), `day`, the keys and the measure.
CREATE TEMPORARY TABLE rollups ON COMMIT DROP AS SELECT * FROM (VALUES
	('transacoes', 'transacoes_rollup', 'estabelecimento_id, sent_to_erp', 'total', $$
		SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day,
			estabelecimento_id, sent_to_erp, total
		FROM ROWS $$),
	-- A key has room for 200 characters: an index entry is limited, and a loader must not fail over a report.
	('transacoes', 'transacoes_report_rollup', 'dimension, estabelecimento_id, value', 'total', $$
		SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day,
			dimension, estabelecimento_id, value, total
		FROM ROWS CROSS JOIN LATERAL (
			SELECT 'form' AS dimension, left(forma_pagamento_principal, 200) AS value
			UNION ALL
			SELECT 'professional', professional
			FROM (SELECT) AS one LEFT JOIN (
				SELECT DISTINCT left(service ->> 'idProfissionalQueRealizouServico', 200)
				FROM jsonb_array_elements(CASE jsonb_typeof(servicos) WHEN 'array' THEN servicos ELSE '[]' END) AS service
				WHERE service ->> 'idProfissionalQueRealizouServico' <> ''
			) AS took_part (professional) ON true
		) AS grouped $$),
	('lancamentos', 'lancamentos_rollup', 'estabelecimento_id, sent_to_salon, block', NULL, $$
		SELECT id, synced_at AS at, (synced_at AT TIME ZONE 'America/Sao_Paulo')::date AS day,
			estabelecimento_id, sent_to_salon, id >> 14 AS block
		FROM ROWS $$),
	('pagamentos_erp', 'pagamentos_erp_rollup', 'situacao, id_centro_custo, nome_conta_classificacao, block', NULL, $$
		SELECT id, data_vencimento AS at, coalesce(data_vencimento, '-infinity') AS day,
			situacao, id_centro_custo, nome_conta_classificacao, id >> 14 AS block
		FROM ROWS $$),
	('vendas_produto', 'vendas_produto_rollup', 'estabelecimento_id, origem', NULL, $$
		SELECT id, coalesce(data_hora, '-infinity') AS at,
			(coalesce(data_hora, '-infinity') AT TIME ZONE 'America/Sao_Paulo')::date AS day, estabelecimento_id, origem
		FROM ROWS $$),
	('jobs_log', 'jobs_log_rollup', 'job_name, status', NULL, $$
		SELECT id, created_at AS at, (created_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, job_name, status
		FROM ROWS $$)
) AS specs (source, rollup, keys, measure, adds);
--> statement-breakpoint
-- What rows add, as a select of the rollup's columns. `sign` is 1 for a row that is there and -1 for one that was.
ALTER TABLE rollups ADD summing text;
--> statement-breakpoint
UPDATE rollups SET summing = format($$
	SELECT (ARRAY['day', 'month', 'all'])[grouping(day, month)] AS grain, coalesce(day, month, '-infinity') AS starts_on,
		%1$s, WRITER AS writer, sum(sign) AS records%2$s
	FROM (SELECT added.*, date_trunc('month', day::timestamp)::date AS month FROM (%3$s) AS added) AS changes
	GROUP BY GROUPING SETS ((day, %1$s), (month, %1$s), (%1$s))
	HAVING sum(sign) <> 0%4$s $$,
	keys, ', sum(sign * ' || measure || ') AS ' || measure, replace(adds, 'SELECT id,', 'SELECT sign, id,'),
	' OR sum(sign * ' || measure || ') <> 0');
--> statement-breakpoint
DO $do$
DECLARE
	spec record;
	event record;
BEGIN
	FOR spec IN SELECT * FROM rollups LOOP
		EXECUTE format('CREATE VIEW %I AS %s', spec.rollup || '_source', replace(spec.adds, 'ROWS', spec.source));
		-- What the rollup has to add up to, counted anew.
		EXECUTE format('CREATE VIEW %I AS %s', spec.rollup || '_expected', replace(
			replace(spec.summing, 'WRITER', '0'), 'ROWS', format('(SELECT 1 AS sign, * FROM %I) AS rows', spec.source)));
		-- Rows that are often updated in place want room on their page.
		EXECUTE format('ALTER TABLE %I SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)', spec.rollup);
	END LOOP;

	-- Whoever may write the table may not write its sums: the function may, and does nothing else.
	FOR event IN
		SELECT source, name, transition,
			source || '_rollup_' || name AS function,
			string_agg(CASE name
				-- DELETE and not TRUNCATE, which would lock out readers that wait for the table's own TRUNCATE.
				WHEN 'truncate' THEN format('DELETE FROM %I;', rollup)
				ELSE format(
					'INSERT INTO %1$I AS kept (grain, starts_on, %2$s, writer, records%3$s) %4$s
					ON CONFLICT (grain, starts_on, %2$s, writer) DO UPDATE SET records = kept.records + excluded.records%5$s;',
					rollup, keys, ', ' || measure, replace(replace(summing, 'WRITER', 'my_writer'), 'ROWS', changed),
					', ' || measure || ' = kept.' || measure || ' + excluded.' || measure)
			END, '') AS body
		FROM rollups CROSS JOIN (VALUES
			('insert', 'REFERENCING NEW TABLE AS new_rows', '(SELECT 1 AS sign, * FROM new_rows) AS rows'),
			('delete', 'REFERENCING OLD TABLE AS old_rows', '(SELECT -1 AS sign, * FROM old_rows) AS rows'),
			('update', 'REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows',
				'(SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows) AS rows'),
			('truncate', '', '')
		) AS events (name, transition, changed)
		GROUP BY source, name, transition
	LOOP
		IF event.name = 'truncate' THEN
			-- An older snapshot would not see all of the sums that go.
			event.body := $$
				IF current_setting('transaction_isolation') <> 'read committed' THEN
					RAISE 'TRUNCATE of this table needs the isolation level READ COMMITTED' USING ERRCODE = '25001';
				END IF;
			$$ || event.body;
		END IF;
		EXECUTE format($$
			CREATE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $f$
			DECLARE my_writer CONSTANT integer := rollup_writer();
			BEGIN
				%2$s
				RETURN NULL;
			END $f$ $$, event.function, event.body);
		EXECUTE format('CREATE TRIGGER %1$I AFTER %2$s ON %3$I %4$s FOR EACH STATEMENT EXECUTE FUNCTION %1$I()',
			event.function, event.name, event.source, event.transition);
	END LOOP;

	-- What is there already. Creating the triggers has locked out writers until this migration commits.
	FOR spec IN SELECT * FROM rollups LOOP
		-- In this order, sums that are read together lie together.
		EXECUTE format('INSERT INTO %I SELECT * FROM %I ORDER BY grain, starts_on', spec.rollup, spec.rollup || '_expected');
		EXECUTE format('ANALYZE %I', spec.rollup);
	END LOOP;
END $do$;
