-- The machinery that keeps sums, made permanent: `kept_sums` says what is kept, one call adds, changes or drops a sum, and
-- triggers and views are written from the catalogue (`\sf transacoes_rollup_insert` shows one). Tables, views and triggers
-- of 0004 stay; the functions of its triggers are written anew from the catalogue.

-- The first instant of a day in Brasília. On a day whose midnight comes twice (1950-04-16) it is the first of the two, on
-- one that has none (summer time began at midnight) the clock's next instant. A business day begins where its rows do.
CREATE FUNCTION brasilia_midnight(day date) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE
		WHEN ((day::timestamp AT TIME ZONE 'America/Sao_Paulo' - interval '1 hour') AT TIME ZONE 'America/Sao_Paulo')::date = day
		THEN day::timestamp AT TIME ZONE 'America/Sao_Paulo' - interval '1 hour'
		ELSE day::timestamp AT TIME ZONE 'America/Sao_Paulo'
	END
$$;
--> statement-breakpoint
CREATE TABLE kept_sums (
	-- The table that holds the sums; its views are `<rollup>_source` and `<rollup>_expected`.
	rollup text PRIMARY KEY,
	-- The table whose rows are summed.
	source text NOT NULL,
	keys text[] NOT NULL,
	-- What is summed besides the number of records.
	measures text[] NOT NULL,
	-- What a row of the table adds, as a select whose FROM is ROWS: the table itself for `<rollup>_source`, new and old
	-- rows for the triggers. It names `id`, `at` (what a list is ordered by or ranges over), `day`, keys and measures; no
	-- day is the day -infinity, no measure is zero.
	adds text NOT NULL
);
--> statement-breakpoint
REVOKE ALL ON kept_sums FROM salon_api;
--> statement-breakpoint
CREATE FUNCTION rollup_adds(kept kept_sums, relation text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT regexp_replace(kept.adds, '\mROWS\M', quote_ident(relation), 'g')
$$;
--> statement-breakpoint
-- What changed rows add, as a select of the rollup's columns. @param changes a select of `sign` and what the rows add
CREATE FUNCTION rollup_summing(kept kept_sums, changes text, writer text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT format(
		'SELECT (ARRAY[''day'', ''month'', ''all''])[grouping(day, month)] AS grain,
			coalesce(day, month, ''-infinity'') AS starts_on, %1$s, %2$s AS writer, sum(sign) AS records%3$s
		FROM (SELECT *, date_trunc(''month'', day::timestamp)::date AS month
			FROM (SELECT sign, coalesce(day, ''-infinity'') AS day, %1$s%6$s FROM (%4$s) AS added) AS dated) AS changes
		GROUP BY GROUPING SETS ((day, %1$s), (month, %1$s), (%1$s))
		HAVING sum(sign) <> 0%5$s',
		columns.keys, writer, columns.sums, changes, columns.not_zero, columns.measures)
	FROM (
		SELECT (SELECT string_agg(quote_ident(key), ', ' ORDER BY n) FROM unnest(kept.keys) WITH ORDINALITY AS k (key, n)) AS keys,
			coalesce(string_agg(format(', coalesce(%1$I, 0) AS %1$I', measure), '' ORDER BY n), '') AS measures,
			coalesce(string_agg(format(', sum(sign * %1$I) AS %1$I', measure), '' ORDER BY n), '') AS sums,
			coalesce(string_agg(format(' OR sum(sign * %I) <> 0', measure), '' ORDER BY n), '') AS not_zero
		FROM unnest(kept.measures) WITH ORDINALITY AS m (measure, n)
	) AS columns
$$;
--> statement-breakpoint
-- The triggers of one table, as the catalogue has its sums; none when it has none any more. Whoever may write the table
-- may not write its sums: the functions may, and do nothing else. They answer to triggers alone.
CREATE FUNCTION write_rollup_triggers(source_table text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $do$
DECLARE
	event record;
	body text;
BEGIN
	FOR event IN
		SELECT name, transition, changes, source_table || '_rollup_' || name AS function
		FROM (VALUES
			('insert', 'REFERENCING NEW TABLE AS new_rows', ARRAY['new_rows']),
			('delete', 'REFERENCING OLD TABLE AS old_rows', ARRAY['old_rows']),
			('update', 'REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows', ARRAY['new_rows', 'old_rows']),
			('truncate', '', '{}')
		) AS events (name, transition, changes)
	LOOP
		SELECT string_agg(CASE event.name
			-- DELETE and not TRUNCATE, which would lock out readers that wait for the table's own TRUNCATE.
			WHEN 'truncate' THEN format('DELETE FROM %I;', kept.rollup)
			ELSE (
				SELECT format(E'INSERT INTO %1$I AS kept (grain, starts_on, %2$s, writer, records%3$s)\n%4$s\nON CONFLICT (grain, starts_on, %2$s, writer) DO UPDATE SET records = kept.records + excluded.records%5$s;',
					kept.rollup,
					(SELECT string_agg(quote_ident(key), ', ' ORDER BY n) FROM unnest(kept.keys) WITH ORDINALITY AS k (key, n)),
					coalesce(string_agg(', ' || quote_ident(measure), '' ORDER BY n), ''),
					rollup_summing(kept, (
						SELECT string_agg(format('SELECT %s AS sign, rows.* FROM (%s) AS rows',
							CASE relation WHEN 'new_rows' THEN 1 ELSE -1 END, rollup_adds(kept, relation)), ' UNION ALL ')
						FROM unnest(event.changes) AS relation), 'my_writer'),
					coalesce(string_agg(format(', %1$I = kept.%1$I + excluded.%1$I', measure), '' ORDER BY n), ''))
				FROM unnest(kept.measures) WITH ORDINALITY AS m (measure, n)
			)
		END, E'\n' ORDER BY kept.rollup) INTO body
		FROM kept_sums AS kept WHERE kept.source = source_table;

		IF body IS NULL THEN
			EXECUTE format('DROP FUNCTION IF EXISTS %I() CASCADE', event.function);
			CONTINUE;
		END IF;
		IF event.name = 'truncate' THEN
			-- An older snapshot would not see all of the sums that go.
			body := $$IF current_setting('transaction_isolation') <> 'read committed' THEN
	RAISE 'TRUNCATE of this table needs the isolation level READ COMMITTED' USING ERRCODE = '25001';
END IF;
$$ || body;
		END IF;
		EXECUTE format(
			E'CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS %2$L',
			event.function, format(E'\nDECLARE my_writer CONSTANT integer := rollup_writer();\nBEGIN\n%s\nRETURN NULL;\nEND ', body));
		EXECUTE format('REVOKE ALL ON FUNCTION %I() FROM PUBLIC', event.function);
		-- A trigger that is there is left alone: writing it again would wait for every loader.
		IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = quote_ident(source_table)::regclass AND tgname = event.function) THEN
			EXECUTE format('CREATE TRIGGER %1$I AFTER %2$s ON %3$I %4$s FOR EACH STATEMENT EXECUTE FUNCTION %1$I()',
				event.function, event.name, source_table, event.transition);
		END IF;
	END LOOP;
END $do$;
--> statement-breakpoint
-- Ends a sum; nothing happens where the catalogue has none of that name.
CREATE FUNCTION drop_rollup(dropped text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE of_table CONSTANT text := (SELECT source FROM kept_sums WHERE rollup = dropped);
BEGIN
	IF of_table IS NULL THEN RETURN; END IF;
	-- Loaders wait, so that none of them still writes what goes.
	EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', of_table);
	DELETE FROM kept_sums WHERE rollup = dropped;
	PERFORM write_rollup_triggers(of_table);
	EXECUTE format('DROP VIEW %I, %I', dropped || '_source', dropped || '_expected');
	EXECUTE format('DROP TABLE %I', dropped);
END $$;
--> statement-breakpoint
-- Keeps a sum from now on: a new one, or one that is there in another form. Its table is made and filled here, in place of
-- the empty one that a generated migration has made of it. Loaders of the table wait meanwhile; readers do not, but for
-- the moment in which an older form of the sum is exchanged, which ends with the transaction.
CREATE FUNCTION keep_rollup(source_table text, new_rollup text, new_keys text[], new_measures text[], new_adds text)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
	kept CONSTANT kept_sums := ROW(new_rollup, source_table, new_keys, new_measures, new_adds);
	filled CONSTANT text := new_rollup || '_next';
	counted CONSTANT text := rollup_summing(kept, format('SELECT 1 AS sign, rows.* FROM (%s) AS rows', rollup_adds(kept, source_table)), '0');
	not_null text;
	is_taken boolean := false;
BEGIN
	IF cardinality(new_keys) = 0 THEN
		RAISE 'a sum needs at least one key' USING ERRCODE = '22023';
	END IF;
	-- An older snapshot would not see what was written while this waited for its lock.
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE 'keep_rollup needs the isolation level READ COMMITTED' USING ERRCODE = '25001';
	END IF;
	IF length(new_rollup) > 48 THEN
		RAISE 'the name of a sum has at most 48 characters, as its views and its index add to it' USING ERRCODE = '42622';
	END IF;
	IF EXISTS (SELECT FROM kept_sums WHERE rollup = new_rollup AND source <> source_table) THEN
		RAISE '% is a sum of another table: drop it first', new_rollup USING ERRCODE = '42710';
	END IF;
	IF to_regclass(quote_ident(new_rollup)) IS NOT NULL AND NOT EXISTS (SELECT FROM kept_sums WHERE rollup = new_rollup) THEN
		EXECUTE format('SELECT EXISTS (SELECT FROM %I)', new_rollup) INTO is_taken;
	END IF;
	IF is_taken THEN
		RAISE 'there is a table % already, with rows that are no sums: choose another name', new_rollup USING ERRCODE = '42P07';
	END IF;

	EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', source_table);
	-- Rows that are often updated in place want room on their page; in this order, sums that are read together lie together.
	EXECUTE format('CREATE TABLE %I WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02) AS %s ORDER BY grain, starts_on', filled, counted);
	SELECT string_agg(format('ALTER %I SET NOT NULL', name), ', ') INTO not_null
	FROM unnest(ARRAY['grain', 'starts_on', 'writer', 'records'] || new_measures) AS name;
	EXECUTE format('ALTER TABLE %I %s', filled, not_null);
	EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I UNIQUE NULLS NOT DISTINCT (grain, starts_on, %s, writer)', filled,
		filled || '_key', (SELECT string_agg(quote_ident(key), ', ' ORDER BY n) FROM unnest(new_keys) WITH ORDINALITY AS k (key, n)));
	EXECUTE format('ANALYZE %I', filled);

	EXECUTE format('DROP VIEW IF EXISTS %I, %I', new_rollup || '_source', new_rollup || '_expected');
	EXECUTE format('DROP TABLE IF EXISTS %I', new_rollup);
	EXECUTE format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', filled, filled || '_key', new_rollup || '_key');
	EXECUTE format('ALTER TABLE %I RENAME TO %I', filled, new_rollup);
	EXECUTE format('CREATE VIEW %I AS %s', new_rollup || '_source', rollup_adds(kept, source_table));
	-- What the rollup has to add up to, counted anew.
	EXECUTE format('CREATE VIEW %I AS %s', new_rollup || '_expected', counted);
	EXECUTE format('GRANT SELECT ON %I, %I TO salon_api', new_rollup, new_rollup || '_source');
	DELETE FROM kept_sums WHERE rollup = new_rollup;
	INSERT INTO kept_sums VALUES (kept.*);
	PERFORM write_rollup_triggers(source_table);
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION brasilia_midnight(date), rollup_writer(), rollup_adds(kept_sums, text), rollup_summing(kept_sums, text, text),
	write_rollup_triggers(text), drop_rollup(text), keep_rollup(text, text, text[], text[], text) FROM PUBLIC;
--> statement-breakpoint
GRANT EXECUTE ON FUNCTION brasilia_midnight(date) TO salon_api;
--> statement-breakpoint
-- What 0003 and 0004 made and filled.
INSERT INTO kept_sums (source, rollup, keys, measures, adds) VALUES
	('transacoes', 'transacoes_rollup', '{estabelecimento_id, sent_to_erp}', '{total}',
		$$SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day,
	estabelecimento_id, sent_to_erp, total
FROM ROWS$$),
	-- A key has room for 200 characters: an index entry is limited, and a loader must not fail over a report.
	('transacoes', 'transacoes_report_rollup', '{dimension, estabelecimento_id, value}', '{total}',
		$$SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day,
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
) AS grouped$$),
	('lancamentos', 'lancamentos_rollup', '{estabelecimento_id, sent_to_salon, block}', '{}',
		$$SELECT id, synced_at AS at, (synced_at AT TIME ZONE 'America/Sao_Paulo')::date AS day,
	estabelecimento_id, sent_to_salon, id >> 14 AS block
FROM ROWS$$),
	('pagamentos_erp', 'pagamentos_erp_rollup', '{situacao, id_centro_custo, nome_conta_classificacao, block}', '{}',
		$$SELECT id, data_vencimento AS at, coalesce(data_vencimento, '-infinity') AS day,
	situacao, id_centro_custo, nome_conta_classificacao, id >> 14 AS block
FROM ROWS$$),
	('vendas_produto', 'vendas_produto_rollup', '{estabelecimento_id, origem}', '{}',
		$$SELECT id, coalesce(data_hora, '-infinity') AS at,
	(coalesce(data_hora, '-infinity') AT TIME ZONE 'America/Sao_Paulo')::date AS day, estabelecimento_id, origem
FROM ROWS$$),
	('jobs_log', 'jobs_log_rollup', '{job_name, status}', '{}',
		$$SELECT id, created_at AS at, (created_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, job_name, status
FROM ROWS$$);
--> statement-breakpoint
SELECT write_rollup_triggers(source) FROM (SELECT DISTINCT source FROM kept_sums) AS sources;
