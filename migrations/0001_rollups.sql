-- Rollups: sums over the rows of a table. Statement triggers keep them exact, in the transaction that writes the rows.
-- Loaders write plain rows and know nothing of rollups.
--
-- A rollup has one row per period (day, month, all time), combination of keys and writer. Example: after one insert into
-- jobs_log ('send-pagar', 'failed', 22 November 2026 in Brasília), jobs_log_rollup holds
--
--   grain | starts_on  | job_name   | status | writer | records
--   day   | 2026-11-22 | send-pagar | failed |      0 |       1
--   month | 2026-11-01 | send-pagar | failed |      0 |       1
--   all   | -infinity  | send-pagar | failed |      0 |       1
--
-- Two loaders: while the transaction of the first is open, a second one inserts the same kind of row. It adds its rows under
-- writer 1, so that it does not wait. Readers add up all writers. Writer 0 is free again when the first transaction ends.
--
-- `npm run db:migrate` sets the rights of the API's role and of PUBLIC at its end (tools/warehouse/reader-role.ts).

-- The lowest number that no other open transaction uses. A loader at REPEATABLE READ may get 40001 and must retry: its snapshot
-- may be older than what the last user of the number wrote.
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
-- The first instant of a day in Brasília. 1950-04-16 has two midnights: it begins at the first. A day on which summer time
-- began has none: it begins at 01:00.
CREATE FUNCTION brasilia_midnight(day date) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN ((day::timestamp AT TIME ZONE 'America/Sao_Paulo' - interval '1 hour') AT TIME ZONE 'America/Sao_Paulo')::date = day
		THEN day::timestamp AT TIME ZONE 'America/Sao_Paulo' - interval '1 hour'
		ELSE day::timestamp AT TIME ZONE 'America/Sao_Paulo'
	END
$$;
--> statement-breakpoint
-- Refuses what needs a snapshot as new as the statement: an older one would miss rows that were written while it waited.
CREATE FUNCTION assert_read_committed(what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE '% needs the isolation level READ COMMITTED', what USING ERRCODE = '25001';
	END IF;
END $$;
--> statement-breakpoint
-- Creates a statement trigger with a function of the same name. Its owner may write rollups and change feeds; the role that
-- writes the table may not. `body` reads the transition tables `new_rows` and `old_rows`, as far as the event has them.
CREATE FUNCTION create_statement_trigger(source text, trigger text, event text, body text)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $do$
BEGIN
	EXECUTE format(
		E'CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS %L',
		trigger, E'\n' || body);
	EXECUTE format('REVOKE ALL ON FUNCTION %I() FROM PUBLIC', trigger);
	EXECUTE format('CREATE TRIGGER %1$I AFTER %2$s ON %3$I %4$s FOR EACH STATEMENT EXECUTE FUNCTION %1$I()', trigger, event, source,
		CASE event
			WHEN 'INSERT' THEN 'REFERENCING NEW TABLE AS new_rows'
			WHEN 'UPDATE' THEN 'REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows'
			WHEN 'DELETE' THEN 'REFERENCING OLD TABLE AS old_rows'
			ELSE ''
		END);
END $do$;
--> statement-breakpoint
-- The rollups there are. `npm run warehouse -- verify` compares each with its table.
CREATE TABLE rollups (
	rollup text PRIMARY KEY,
	-- The table whose rows are summed.
	source text NOT NULL,
	keys text[] NOT NULL,
	-- What is summed besides the number of records.
	measures text[] NOT NULL
);
--> statement-breakpoint
-- A text for each measure of a rollup, from a template with %1$I for the measure's name.
CREATE FUNCTION per_measure(measures text[], template text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(string_agg(format(template, measure), '' ORDER BY n), '') FROM unnest(measures) WITH ORDINALITY AS m (measure, n)
$$;
--> statement-breakpoint
-- Fills a rollup and keeps it exact from now on. Its table exists and is empty: declare it with `rollupTable` in table.ts and
-- run `npm run db:generate`. Loaders of the source wait until the migration commits; readers do not.
--
-- `row_query` says what each row adds: a select FROM ROWS of `id`, `at` (what a list is ordered by or ranges over), `day`
-- (null: in no period), the keys and the measures (null: 0). It is used three times: as the view `<rollup>_source`, in the
-- view `<rollup>_expected` (what the rollup must add up to) and in the triggers `<rollup>_insert`, `_update`, `_delete`.
-- migrations/schema.sql shows what this function writes.
CREATE FUNCTION create_rollup(source text, rollup text, keys text[], measures text[], row_query text)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $do$
DECLARE
	reserved CONSTANT text[] := '{id, at, day, month, sign, grain, starts_on, writer, records}';
	key_list CONSTANT text := (SELECT string_agg(quote_ident(key), ', ' ORDER BY n) FROM unnest(keys) WITH ORDINALITY AS k (key, n));
	measure_list CONSTANT text := per_measure(measures, ', %1$I');
	-- What changed rows add up to. `sign` is 1 for a new row and -1 for an old one. The triggers replace <changes> and <writer>.
	totals CONSTANT text := format($$
SELECT (ARRAY['day', 'month', 'all'])[grouping(day, month)] AS grain, coalesce(day, month, '-infinity') AS starts_on,
	%1$s, <writer> AS writer, sum(sign) AS records%2$s
FROM (
	SELECT sign, day, date_trunc('month', day::timestamp)::date AS month, %1$s%3$s
	FROM (SELECT sign, coalesce(day, '-infinity') AS day, %1$s%4$s FROM (<changes>) AS changes) AS dated
) AS changes
GROUP BY GROUPING SETS ((day, %1$s), (month, %1$s), (%1$s))
HAVING sum(sign) <> 0%5$s$$,
		key_list, per_measure(measures, ', sum(sign * %1$I) AS %1$I'), measure_list,
		per_measure(measures, ', coalesce(%1$I, 0) AS %1$I'), per_measure(measures, ' OR sum(sign * %1$I) <> 0'));
	upsert CONSTANT text := format(E'INSERT INTO %1$I AS stored (grain, starts_on, %2$s, writer, records%3$s)%4$s<order>
ON CONFLICT (grain, starts_on, %2$s, writer) DO UPDATE SET records = stored.records + excluded.records%5$s;',
		rollup, key_list, measure_list, totals, per_measure(measures, ', %1$I = stored.%1$I + excluded.%1$I'));
	added CONSTANT text := format('SELECT 1 AS sign, rows.* FROM (%s) AS rows', regexp_replace(row_query, '\mROWS\M', 'new_rows', 'g'));
	removed CONSTANT text := format('SELECT -1 AS sign, rows.* FROM (%s) AS rows', regexp_replace(row_query, '\mROWS\M', 'old_rows', 'g'));
	existing CONSTANT text := format('SELECT 1 AS sign, rows.* FROM %I AS rows', rollup || '_source');
	event record;
BEGIN
	PERFORM assert_read_committed('create_rollup');
	IF cardinality(keys) = 0 OR keys || measures && reserved THEN
		RAISE 'a rollup needs a key, and no key or measure may be named %', array_to_string(reserved, ', ') USING ERRCODE = '22023';
	END IF;
	EXECUTE format('CREATE VIEW %I AS %s', rollup || '_source', regexp_replace(row_query, '\mROWS\M', quote_ident(source), 'g'));
	EXECUTE format('CREATE VIEW %I AS %s', rollup || '_expected', replace(replace(totals, '<changes>', existing), '<writer>', '0'));
	FOR event IN SELECT * FROM (VALUES
		('INSERT', added), ('DELETE', removed), ('UPDATE', added || ' UNION ALL ' || removed)
	) AS events (name, changes) LOOP
		PERFORM create_statement_trigger(source, rollup || '_' || lower(event.name), event.name, format(
			E'DECLARE my_writer CONSTANT integer := rollup_writer();\nBEGIN\n%s\nRETURN NULL;\nEND ',
			replace(replace(replace(upsert, '<changes>', event.changes), '<writer>', 'my_writer'), '<order>', '')));
	END LOOP;
	-- DELETE: a TRUNCATE would lock the rollup as well, against readers of the source.
	PERFORM create_statement_trigger(source, rollup || '_truncate', 'TRUNCATE', format(
		E'BEGIN\nPERFORM assert_read_committed(''TRUNCATE of this table'');\nDELETE FROM %I;\nRETURN NULL;\nEND ', rollup));
	-- From here on the triggers lock out writers: the rows that exist can be summed, in an order that keeps periods together.
	EXECUTE replace(replace(replace(upsert, '<changes>', existing), '<writer>', '0'), '<order>', E'\nORDER BY grain, starts_on');
	-- Rows that are updated often need free space on their page.
	EXECUTE format('ALTER TABLE %I SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)', rollup);
	EXECUTE format('ANALYZE %I', rollup);
	INSERT INTO rollups VALUES (rollup, source, keys, measures);
END $do$;
--> statement-breakpoint
-- Drops a rollup with its table, views and triggers. Readers and loaders of the source wait until the migration commits.
CREATE FUNCTION drop_rollup(dropped text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE event text;
BEGIN
	DELETE FROM rollups WHERE rollup = dropped;
	IF NOT FOUND THEN
		RAISE 'there is no rollup %', dropped USING ERRCODE = '42704';
	END IF;
	FOREACH event IN ARRAY '{insert, delete, update, truncate}'::text[] LOOP
		EXECUTE format('DROP FUNCTION %I() CASCADE', dropped || '_' || event);
	END LOOP;
	EXECUTE format('DROP VIEW %I, %I', dropped || '_expected', dropped || '_source');
	EXECUTE format('DROP TABLE %I', dropped);
END $$;
--> statement-breakpoint
-- Total, page N and summary of the visits.
SELECT create_rollup('transacoes', 'transacoes_rollup', '{estabelecimento_id, sent_to_erp}', '{total}', $$
	SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day, estabelecimento_id, sent_to_erp, total
	FROM ROWS$$);
--> statement-breakpoint
-- Visits by payment form and by professional. Keys have 200 characters at most: an index entry is limited, and a loader must
-- not fail because of a report.
SELECT create_rollup('transacoes', 'transacoes_report_rollup', '{dimension, estabelecimento_id, value}', '{total}', $$
	SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day, dimension, estabelecimento_id, value, total
	FROM ROWS CROSS JOIN LATERAL (
		SELECT 'form' AS dimension, left(forma_pagamento_principal, 200) AS value
		UNION ALL
		SELECT 'professional' AS dimension, professional AS value
		FROM (SELECT) AS one LEFT JOIN (
			SELECT DISTINCT left(service ->> 'idProfissionalQueRealizouServico', 200) AS professional
			FROM jsonb_array_elements(CASE jsonb_typeof(servicos) WHEN 'array' THEN servicos ELSE '[]' END) AS service
			WHERE service ->> 'idProfissionalQueRealizouServico' <> ''
		) AS took_part ON true
	) AS grouped$$);
--> statement-breakpoint
-- Ordered by id, ranges over another column: summed by blocks of 16,384 ids too, to find where page N begins.
SELECT create_rollup('lancamentos', 'lancamentos_rollup', '{estabelecimento_id, sent_to_salon, block}', '{}', $$
	SELECT id, synced_at AS at, (synced_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, estabelecimento_id, sent_to_salon,
		id >> 14 AS block
	FROM ROWS$$);
--> statement-breakpoint
SELECT create_rollup('pagamentos_erp', 'pagamentos_erp_rollup', '{situacao, id_centro_custo, nome_conta_classificacao, block}', '{}', $$
	SELECT id, data_vencimento AS at, data_vencimento AS day, situacao, id_centro_custo, nome_conta_classificacao, id >> 14 AS block
	FROM ROWS$$);
--> statement-breakpoint
SELECT create_rollup('vendas_produto', 'vendas_produto_rollup', '{estabelecimento_id, origem}', '{}', $$
	SELECT id, coalesce(data_hora, '-infinity') AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day,
		estabelecimento_id, origem
	FROM ROWS$$);
--> statement-breakpoint
SELECT create_rollup('jobs_log', 'jobs_log_rollup', '{job_name, status}', '{}', $$
	SELECT id, created_at AS at, (created_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, job_name, status
	FROM ROWS$$);
--> statement-breakpoint
-- Sales by product, of all units together and of each. To Postgres NaN is greater than infinity: what is null, NaN or infinite
-- adds nothing, as it would stay in a sum for ever.
SELECT create_rollup('vendas_produto', rollup, keys, '{quantidade, valor_total, quantidade_profissional, valor_profissional}', $$
	SELECT id, coalesce(data_hora, '-infinity') AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day,
		left(estabelecimento_id, 200) AS estabelecimento_id, origem,
		left(produto_id, 200) AS produto_id, left(produto_nome, 200) AS produto_nome,
		CASE WHEN taken THEN 0 ELSE quantity END AS quantidade,
		CASE WHEN taken THEN 0 ELSE worth END AS valor_total,
		CASE WHEN taken THEN quantity ELSE 0 END AS quantidade_profissional,
		CASE WHEN taken THEN worth ELSE 0 END AS valor_profissional
	FROM ROWS CROSS JOIN LATERAL (
		SELECT forma_pagamento IS NOT DISTINCT FROM 'Descontar do Profissional' AS taken,
			CASE WHEN abs(quantidade) < 'Infinity' THEN quantidade ELSE 0 END AS quantity,
			CASE WHEN abs(valor_total) < 'Infinity' THEN valor_total ELSE 0 END AS worth
	) AS line$$)
FROM (VALUES
	('vendas_por_produto_rollup', '{origem, produto_id, produto_nome}'::text[]),
	('vendas_por_unidade_rollup', '{estabelecimento_id, origem, produto_id, produto_nome}')
) AS sums (rollup, keys);
--> statement-breakpoint
-- A range of whole months of one unit reads this index.
CREATE INDEX vendas_por_unidade_rollup_unit ON vendas_por_unidade_rollup (grain, estabelecimento_id, starts_on);
--> statement-breakpoint
-- Payments by account, of all cost centres (`dimension` 'all') and of each ('centre'). The account's name is not cut: the list
-- is filtered by it, and its index has room for no longer one.
SELECT create_rollup('pagamentos_erp', rollup, '{dimension, id_centro_custo, situacao, nome_conta_classificacao}', '{valor}', format($$
	SELECT id, %1$I AS at, %1$I AS day, dimension, centre AS id_centro_custo, situacao, nome_conta_classificacao,
		CASE WHEN abs(valor) < 'Infinity' THEN valor ELSE 0 END AS valor
	FROM ROWS CROSS JOIN LATERAL (VALUES ('all', NULL), ('centre', left(id_centro_custo, 200))) AS counted (dimension, centre)$$, date_column))
FROM (VALUES
	('pagamentos_por_vencimento_rollup', 'data_vencimento'),
	('pagamentos_por_pagamento_rollup', 'data_pagamento')
) AS sums (rollup, date_column);
