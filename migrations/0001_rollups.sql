-- Rollups: tables of counts and sums over the rows of another table. Statement triggers update them in the transaction that
-- writes the rows, so that they are always exact. Loaders write plain rows and ignore rollups.
--
-- A rollup has one row per period (day, month, all time), combination of keys and writer. Example: a loader inserts one row
-- into jobs_log ('send-pagar', 'failed', 22 November 2026 in Brasília). jobs_log_rollup then contains:
--
--   grain | starts_on  | job_name   | status | writer | records
--   day   | 2026-11-22 | send-pagar | failed |      0 |       1
--   month | 2026-11-01 | send-pagar | failed |      0 |       1
--   all   | -infinity  | send-pagar | failed |      0 |       1
--
-- Example with two loaders: while the transaction of loader A is open, loader B inserts a row with the same keys. B counts it
-- under writer 1, so that it does not wait for A. Queries sum over all writers. Writer 0 is free again when A ends.
--
-- `npm run db:migrate` ends by setting the privileges of the API's role and of PUBLIC (tools/warehouse/reader-role.ts).

-- Reserves the lowest writer that no other open transaction uses, until this transaction ends. Example: 1 while another
-- transaction has 0. A loader at REPEATABLE READ may get 40001 and must retry: the previous transaction with this writer may
-- have changed a rollup row after the loader's snapshot.
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
-- The first instant of a day in Brasília. Example: 2026-11-22 starts at 03:00 UTC. A day on which summer time began has no
-- midnight: 2018-11-04 starts at 01:00. 1950-04-16 has two midnights and starts at the first.
CREATE FUNCTION brasilia_midnight(day date) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN ((day::timestamp AT TIME ZONE 'America/Sao_Paulo' - interval '1 hour') AT TIME ZONE 'America/Sao_Paulo')::date = day
		THEN day::timestamp AT TIME ZONE 'America/Sao_Paulo' - interval '1 hour'
		ELSE day::timestamp AT TIME ZONE 'America/Sao_Paulo'
	END
$$;
--> statement-breakpoint
-- Raises 25001 unless the isolation level is READ COMMITTED. Example: create_rollup waits for open loaders, then sums their
-- rows. An older snapshot would miss these rows.
CREATE FUNCTION assert_read_committed(what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE '% needs the isolation level READ COMMITTED', what USING ERRCODE = '25001';
	END IF;
END $$;
--> statement-breakpoint
-- Creates a statement trigger and its function, which has the same name. Example: `jobs_log_rollup_insert`. The function is
-- SECURITY DEFINER, because a loader cannot write rollups and change feeds. `body` can read the transition tables `new_rows`
-- (INSERT, UPDATE) and `old_rows` (UPDATE, DELETE).
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
-- All rollups. `npm run warehouse -- verify` compares each one with its source.
CREATE TABLE rollups (
	rollup text PRIMARY KEY,
	-- The table whose rows it sums.
	source text NOT NULL,
	keys text[] NOT NULL,
	-- The columns it sums. It always counts the records.
	measures text[] NOT NULL
);
--> statement-breakpoint
-- Formats a template for each measure and concatenates the results. %1$I is the measure's name. Example:
-- per_measure('{quantidade, valor_total}', ', %1$I') returns ', quantidade, valor_total'.
CREATE FUNCTION per_measure(measures text[], template text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(string_agg(format(template, measure), '' ORDER BY n), '') FROM unnest(measures) WITH ORDINALITY AS m (measure, n)
$$;
--> statement-breakpoint
-- Fills a rollup and creates the triggers that keep it exact. Its table must exist and be empty: declare it with `rollupTable`
-- in table.ts and run `npm run db:generate`. Loaders of the source wait until the migration commits; readers do not.
--
-- `row_query` selects FROM ROWS what each source row adds: `id`, `at` (the column that the list is ordered by or filtered by),
-- `day` (null: in no period), the keys and the measures (null counts as 0). The function uses it three times: in the view
-- `<rollup>_source`, in the view `<rollup>_expected` (the correct contents of the rollup) and in the triggers
-- `<rollup>_insert`, `_update` and `_delete`.
--
-- With `all_time_only` it has no days and no months, for a key with many values of which only the total is read.
--
-- Example: the call for `transacoes_rollup` below. migrations/schema.sql contains the views and triggers that it creates.
CREATE FUNCTION create_rollup(source text, rollup text, keys text[], measures text[], row_query text, all_time_only boolean DEFAULT false)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $do$
DECLARE
	reserved CONSTANT text[] := '{id, at, day, month, sign, grain, starts_on, writer, records}';
	key_list CONSTANT text := (SELECT string_agg(quote_ident(key), ', ' ORDER BY n) FROM unnest(keys) WITH ORDINALITY AS k (key, n));
	measure_list CONSTANT text := per_measure(measures, ', %1$I');
	-- Sums the changed rows. `sign` is 1 for a new row and -1 for an old one. <changes> and <writer> are replaced below.
	totals CONSTANT text := format($$
SELECT %6$s,
	%1$s, <writer> AS writer, sum(sign) AS records%2$s
FROM (
	SELECT sign, day, date_trunc('month', day::timestamp)::date AS month, %1$s%3$s
	FROM (SELECT sign, coalesce(day, '-infinity') AS day, %1$s%4$s FROM (<changes>) AS changes) AS dated
) AS changes
GROUP BY %7$s
HAVING sum(sign) <> 0%5$s$$,
		key_list, per_measure(measures, ', sum(sign * %1$I) AS %1$I'), measure_list,
		per_measure(measures, ', coalesce(%1$I, 0) AS %1$I'), per_measure(measures, ' OR sum(sign * %1$I) <> 0'),
		CASE WHEN all_time_only THEN $$'all' AS grain, '-infinity'::date AS starts_on$$
			ELSE $$(ARRAY['day', 'month', 'all'])[grouping(day, month)] AS grain, coalesce(day, month, '-infinity') AS starts_on$$ END,
		CASE WHEN all_time_only THEN key_list ELSE format('GROUPING SETS ((day, %1$s), (month, %1$s), (%1$s))', key_list) END);
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
	-- DELETE and not TRUNCATE, which would also lock the rollup against readers of the source.
	PERFORM create_statement_trigger(source, rollup || '_truncate', 'TRUNCATE', format(
		E'BEGIN\nPERFORM assert_read_committed(''TRUNCATE of this table'');\nDELETE FROM %I;\nRETURN NULL;\nEND ', rollup));
	-- CREATE TRIGGER has locked out writers. Sum the existing rows, in an order that stores the rows of a period together.
	EXECUTE replace(replace(replace(upsert, '<changes>', existing), '<writer>', '0'), '<order>', E'\nORDER BY grain, starts_on');
	-- The rows are updated often: leave free space on each page.
	EXECUTE format('ALTER TABLE %I SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)', rollup);
	EXECUTE format('ANALYZE %I', rollup);
	INSERT INTO rollups VALUES (rollup, source, keys, measures);
END $do$;
--> statement-breakpoint
-- Drops a rollup with its table, views and triggers. Example: SELECT drop_rollup('jobs_log_rollup'). Readers and loaders of
-- the source wait until the migration commits.
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
-- Visits: for totals, page N and the summary.
SELECT create_rollup('transacoes', 'transacoes_rollup', '{estabelecimento_id, sent_to_erp}', '{total}', $$
	SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day, estabelecimento_id, sent_to_erp, total
	FROM ROWS$$);
--> statement-breakpoint
-- Visits by payment form and by professional. Keys are cut to 200 characters: the size of an index entry is limited, and a
-- loader must not fail because of a report.
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
-- Objects in `servicos`, by name and by professional. A `valor` that would make a sum overflow counts as 0. In the view, the
-- cast keeps its limit short.
SELECT create_rollup('transacoes', 'transacoes_servicos_rollup', '{dimension, estabelecimento_id, value}', '{cortesias, valor}', $$
	SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day, dimension, estabelecimento_id, value,
		CASE WHEN service -> 'cortesia' = 'true' THEN 1 ELSE 0 END AS cortesias,
		CASE
			WHEN jsonb_typeof(service -> 'valor') IS DISTINCT FROM 'number' THEN 0
			WHEN abs((service -> 'valor')::numeric) < '1e130000'::text::numeric THEN (service -> 'valor')::numeric
			ELSE 0
		END AS valor
	FROM ROWS
		CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(servicos) WHEN 'array' THEN servicos ELSE '[]' END) AS items (service)
		CROSS JOIN LATERAL (VALUES
			('service', CASE jsonb_typeof(service -> 'nome') WHEN 'string' THEN left(service ->> 'nome', 200) END),
			('professional', nullif(left(service ->> 'idProfissionalQueRealizouServico', 200), ''))
		) AS counted (dimension, value)
	WHERE jsonb_typeof(service) = 'object'$$);
--> statement-breakpoint
-- Visits by weekday and hour.
SELECT create_rollup('transacoes', 'transacoes_horario_rollup', '{estabelecimento_id, dia_semana, hora}', '{total}', $$
	SELECT id, data_hora AS at, local::date AS day, estabelecimento_id, extract(isodow FROM local)::smallint AS dia_semana,
		extract(hour FROM local)::smallint AS hora, total
	FROM ROWS CROSS JOIN LATERAL (SELECT data_hora AT TIME ZONE 'America/Sao_Paulo' AS local) AS clock
	WHERE isfinite(data_hora)$$);
--> statement-breakpoint
-- Visits and sales lines by client: the totals of the lists filtered by client. The filter has at most 64 characters.
SELECT create_rollup('transacoes', 'transacoes_cliente_rollup', '{cliente_salon_id, estabelecimento_id}', '{}', $$
	SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day,
		left(cliente_salon_id, 200) AS cliente_salon_id, estabelecimento_id
	FROM ROWS WHERE cliente_salon_id IS NOT NULL$$, true);
--> statement-breakpoint
SELECT create_rollup('vendas_produto', 'vendas_cliente_rollup', '{cliente_id, estabelecimento_id, origem}', '{}', $$
	SELECT id, coalesce(data_hora, '-infinity') AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day,
		left(cliente_id, 200) AS cliente_id, estabelecimento_id, origem
	FROM ROWS WHERE cliente_id IS NOT NULL$$, true);
--> statement-breakpoint
-- These lists are ordered by id and filtered by another column. Sums by block of 16,384 ids locate page N.
SELECT create_rollup('lancamentos', 'lancamentos_rollup', '{estabelecimento_id, sent_to_salon, block}', '{}', $$
	SELECT id, synced_at AS at, (synced_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, estabelecimento_id, sent_to_salon,
		id >> 14 AS block
	FROM ROWS$$);
--> statement-breakpoint
SELECT create_rollup('pagamentos_erp', 'pagamentos_erp_rollup', '{situacao, id_centro_custo, nome_conta_classificacao, block}', '{}', $$
	SELECT id, data_vencimento AS at, data_vencimento AS day, situacao, id_centro_custo, nome_conta_classificacao, id >> 14 AS block
	FROM ROWS$$);
--> statement-breakpoint
SELECT create_rollup('jobs_log', 'jobs_log_rollup', '{job_name, status}', '{}', $$
	SELECT id, created_at AS at, (created_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, job_name, status
	FROM ROWS$$);
--> statement-breakpoint
-- Sales: by unit, by product, and by unit and product. A list filters by the unit of the first, so it is not cut. Null, NaN and infinite values add 0, because NaN and infinity
-- would stay in a sum forever. Postgres sorts NaN above infinity, so that `< 'Infinity'` excludes both.
SELECT create_rollup('vendas_produto', rollup, keys, '{quantidade, valor_total, quantidade_profissional, valor_profissional}', format($$
	SELECT id, coalesce(data_hora, '-infinity') AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day,
		%s AS estabelecimento_id, origem,
		left(produto_id, 200) AS produto_id, left(produto_nome, 200) AS produto_nome,
		CASE WHEN taken THEN 0 ELSE quantity END AS quantidade,
		CASE WHEN taken THEN 0 ELSE worth END AS valor_total,
		CASE WHEN taken THEN quantity ELSE 0 END AS quantidade_profissional,
		CASE WHEN taken THEN worth ELSE 0 END AS valor_profissional
	FROM ROWS CROSS JOIN LATERAL (
		SELECT forma_pagamento IS NOT DISTINCT FROM 'Descontar do Profissional' AS taken,
			CASE WHEN abs(quantidade) < 'Infinity' THEN quantidade ELSE 0 END AS quantity,
			CASE WHEN abs(valor_total) < 'Infinity' THEN valor_total ELSE 0 END AS worth
	) AS line$$, unit))
FROM (VALUES
	('vendas_produto_rollup', '{estabelecimento_id, origem}'::text[], 'estabelecimento_id'),
	('vendas_por_produto_rollup', '{origem, produto_id, produto_nome}', 'left(estabelecimento_id, 200)'),
	('vendas_por_unidade_rollup', '{estabelecimento_id, origem, produto_id, produto_nome}', 'left(estabelecimento_id, 200)')
) AS sums (rollup, keys, unit);
--> statement-breakpoint
-- For the full months of a range, of one unit.
CREATE INDEX vendas_por_unidade_rollup_unit ON vendas_por_unidade_rollup (grain, estabelecimento_id, starts_on);
--> statement-breakpoint
-- Payments by account, for all cost centres (`dimension` 'all') and for each one ('centre'). The account name is not cut: the
-- index that the list filters by already limits its length.
SELECT create_rollup('pagamentos_erp', rollup, '{dimension, id_centro_custo, situacao, nome_conta_classificacao}', '{valor}', format($$
	SELECT id, %1$I AS at, %1$I AS day, dimension, centre AS id_centro_custo, situacao, nome_conta_classificacao,
		CASE WHEN abs(valor) < 'Infinity' THEN valor ELSE 0 END AS valor
	FROM ROWS CROSS JOIN LATERAL (VALUES ('all', NULL), ('centre', left(id_centro_custo, 200))) AS counted (dimension, centre)$$, date_column))
FROM (VALUES
	('pagamentos_por_vencimento_rollup', 'data_vencimento'),
	('pagamentos_por_pagamento_rollup', 'data_pagamento')
) AS sums (rollup, date_column);
--> statement-breakpoint
-- Payments by cost centre, without the accounts.
SELECT create_rollup('pagamentos_erp', 'pagamentos_por_centro_rollup', '{id_centro_custo, situacao}', '{valor, sem_valor}', $$
	SELECT id, data_vencimento AS at, data_vencimento AS day, left(id_centro_custo, 200) AS id_centro_custo, situacao,
		CASE WHEN abs(valor) < 'Infinity' THEN valor ELSE 0 END AS valor, CASE WHEN valor IS NULL THEN 1 ELSE 0 END AS sem_valor
	FROM ROWS$$);
