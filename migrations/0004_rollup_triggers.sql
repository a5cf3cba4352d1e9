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
-- One row of this list is one rollup. `adds` tells what a row of the table adds to it, as a select whose FROM is ROWS:
-- the table itself for the view `<rollup>_source`, its new and old rows for the triggers. It names `id`, `at` (what
-- the list is ordered by or ranges over), `day`, the keys and the measures.
DO $do$
DECLARE
	spec record;
	event record;
	measures text;
	adding text;
	upsert text;
BEGIN
	FOR spec IN SELECT * FROM (VALUES
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
				estabelecimento_id, sent_to_salon, id >> 12 AS block
			FROM ROWS $$),
		('pagamentos_erp', 'pagamentos_erp_rollup', 'situacao, id_centro_custo, nome_conta_classificacao, block', NULL, $$
			SELECT id, data_vencimento AS at, coalesce(data_vencimento, '-infinity') AS day,
				situacao, id_centro_custo, nome_conta_classificacao, id >> 12 AS block
			FROM ROWS $$),
		('vendas_produto', 'vendas_produto_rollup', 'estabelecimento_id, origem', NULL, $$
			SELECT id, coalesce(data_hora, '-infinity') AS at,
				(coalesce(data_hora, '-infinity') AT TIME ZONE 'America/Sao_Paulo')::date AS day, estabelecimento_id, origem
			FROM ROWS $$),
		('jobs_log', 'jobs_log_rollup', 'job_name, status', NULL, $$
			SELECT id, created_at AS at, (created_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, job_name, status
			FROM ROWS $$)
	) AS specs (source, rollup, keys, measure, adds)
	LOOP
		EXECUTE format('CREATE VIEW %I AS %s', spec.rollup || '_source', replace(spec.adds, 'ROWS', spec.source));

		-- Rows that are often updated in place want room on their page.
		EXECUTE format('ALTER TABLE %I SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)', spec.rollup);

		adding := format($$
			INSERT INTO %1$I AS kept (grain, starts_on, %2$s, writer, records %3$s)
			SELECT CASE grouping(day) WHEN 0 THEN 'day' ELSE 'month' END,
				CASE grouping(day) WHEN 0 THEN day ELSE month END, %2$s, %%s, sum(sign) %4$s
			FROM (SELECT added.*, date_trunc('month', day::timestamp)::date AS month FROM (%5$s) AS added) AS changes
			GROUP BY GROUPING SETS ((day, %2$s), (month, %2$s))
			HAVING sum(sign) <> 0 %6$s $$,
			spec.rollup, spec.keys,
			CASE WHEN spec.measure IS NOT NULL THEN ', ' || spec.measure END,
			', sum(sign * ' || spec.measure || ')',
			replace(spec.adds, 'SELECT id,', 'SELECT sign, id,'),
			' OR sum(sign * ' || spec.measure || ') <> 0');
		upsert := adding || format($$
			ON CONFLICT (grain, starts_on, %s, writer) DO UPDATE SET records = kept.records + excluded.records %s $$,
			spec.keys, ', ' || spec.measure || ' = kept.' || spec.measure || ' + excluded.' || spec.measure);

		FOR event IN SELECT * FROM (VALUES
			('insert', 'NEW TABLE AS new_rows', '(SELECT 1 AS sign, * FROM new_rows) AS rows'),
			('delete', 'OLD TABLE AS old_rows', '(SELECT -1 AS sign, * FROM old_rows) AS rows'),
			('update', 'NEW TABLE AS new_rows OLD TABLE AS old_rows',
				'(SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows) AS rows')
		) AS events (name, transition, changed)
		LOOP
			-- Whoever may write the table may not write its sums: the function may, and does nothing else.
			EXECUTE format($$
				CREATE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $f$
				DECLARE my_writer CONSTANT integer := rollup_writer();
				BEGIN
					%2$s;
					RETURN NULL;
				END $f$ $$,
				spec.rollup || '_' || event.name, format(replace(upsert, 'ROWS', event.changed), 'my_writer'));
			EXECUTE format('CREATE TRIGGER %1$I AFTER %2$s ON %3$I REFERENCING %4$s FOR EACH STATEMENT EXECUTE FUNCTION %1$I()',
				spec.rollup || '_' || event.name, event.name, spec.source, event.transition);
		END LOOP;

		-- DELETE and not TRUNCATE, which would lock out readers that wait for the table's own TRUNCATE.
		EXECUTE format($$
			CREATE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $f$
			BEGIN
				DELETE FROM %2$I;
				RETURN NULL;
			END $f$ $$, spec.rollup || '_truncate', spec.rollup);
		EXECUTE format('CREATE TRIGGER %1$I AFTER TRUNCATE ON %2$I FOR EACH STATEMENT EXECUTE FUNCTION %1$I()',
			spec.rollup || '_truncate', spec.source);

		-- What is there already. Creating the triggers has locked out writers until this migration commits.
		EXECUTE format(replace(adding, 'ROWS', format('(SELECT 1 AS sign, * FROM %I) AS rows', spec.source)), '0');
		EXECUTE format('ANALYZE %I', spec.rollup);
	END LOOP;
END $do$;
