CREATE TABLE "lancamentos_facts" (
	"id" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"day" date,
	"due" date,
	"estabelecimento_id" text NOT NULL,
	"pessoa" text,
	"centro_custo" text,
	"sent_to_salon" boolean NOT NULL,
	"valor" numeric NOT NULL,
	"sem_valor" smallint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pagamentos_facts" (
	"id" bigint PRIMARY KEY NOT NULL,
	"due" date,
	"paid" date,
	"situacao" smallint NOT NULL,
	"id_centro_custo" text,
	"nome_conta_classificacao" text,
	"valor_exato" numeric,
	"valor" numeric NOT NULL,
	"sem_valor" smallint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "servicos_facts" (
	"id" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"day" date,
	"dia_semana" smallint,
	"hora" smallint,
	"estabelecimento_id" text NOT NULL,
	"servico" text,
	"profissional" text,
	"cortesias" smallint NOT NULL,
	"valor" numeric NOT NULL
);
--> statement-breakpoint
CREATE TABLE "vendas_facts" (
	"id" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"day" date,
	"dia_semana" smallint,
	"hora" smallint,
	"estabelecimento_id" text NOT NULL,
	"origem" text NOT NULL,
	"transacao" text NOT NULL,
	"produto_id" text,
	"produto_nome" text,
	"profissional" text,
	"forma_pagamento" text,
	"cliente_id" text,
	"quantidade" numeric NOT NULL,
	"valor_total" numeric NOT NULL,
	"quantidade_profissional" numeric NOT NULL,
	"valor_profissional" numeric NOT NULL,
	"sem_quantidade" smallint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "visitas_facts" (
	"id" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"day" date,
	"dia_semana" smallint,
	"hora" smallint,
	"estabelecimento_id" text NOT NULL,
	"sent_to_erp" boolean NOT NULL,
	"forma_pagamento" text,
	"parcelas" integer,
	"cliente_salon_id" text,
	"total" numeric NOT NULL
);
--> statement-breakpoint
CREATE TABLE "servicos_profissional_rollup" (
	"grain" text NOT NULL,
	"starts_on" date NOT NULL,
	"estabelecimento_id" text,
	"profissional" text,
	"writer" integer NOT NULL,
	"records" bigint NOT NULL,
	"cortesias" numeric NOT NULL,
	"valor" numeric NOT NULL,
	CONSTRAINT "servicos_profissional_rollup_key" UNIQUE NULLS NOT DISTINCT("grain","starts_on","estabelecimento_id","profissional","writer")
);
--> statement-breakpoint
CREATE TABLE "servicos_nome_rollup" (
	"grain" text NOT NULL,
	"starts_on" date NOT NULL,
	"estabelecimento_id" text,
	"servico" text,
	"writer" integer NOT NULL,
	"records" bigint NOT NULL,
	"cortesias" numeric NOT NULL,
	"valor" numeric NOT NULL,
	CONSTRAINT "servicos_nome_rollup_key" UNIQUE NULLS NOT DISTINCT("grain","starts_on","estabelecimento_id","servico","writer")
);
--> statement-breakpoint
CREATE INDEX "lancamentos_facts_synced" ON "lancamentos_facts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "lancamentos_facts_unit_synced" ON "lancamentos_facts" USING btree ("estabelecimento_id","at");--> statement-breakpoint
CREATE INDEX "pagamentos_facts_due" ON "pagamentos_facts" USING btree ("due","id_centro_custo");--> statement-breakpoint
CREATE INDEX "pagamentos_facts_paid" ON "pagamentos_facts" USING btree ("paid","id_centro_custo");--> statement-breakpoint
CREATE INDEX "pagamentos_facts_pending" ON "pagamentos_facts" USING btree ("due","id_centro_custo") WHERE "pagamentos_facts"."situacao" = 1;--> statement-breakpoint
CREATE INDEX "servicos_facts_id" ON "servicos_facts" USING btree ("id");--> statement-breakpoint
CREATE INDEX "servicos_facts_latest" ON "servicos_facts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "servicos_facts_unit_latest" ON "servicos_facts" USING btree ("estabelecimento_id","at");--> statement-breakpoint
CREATE INDEX "vendas_facts_latest" ON "vendas_facts" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "vendas_facts_unit_latest" ON "vendas_facts" USING btree ("estabelecimento_id","at","id");--> statement-breakpoint
CREATE INDEX "vendas_facts_origin_latest" ON "vendas_facts" USING btree ("origem","at","id");--> statement-breakpoint
CREATE INDEX "vendas_facts_client_latest" ON "vendas_facts" USING btree ("cliente_id","at","id");--> statement-breakpoint
CREATE INDEX "vendas_facts_product_latest" ON "vendas_facts" USING btree ("produto_id","at","id");--> statement-breakpoint
CREATE INDEX "visitas_facts_latest" ON "visitas_facts" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "visitas_facts_unit_latest" ON "visitas_facts" USING btree ("estabelecimento_id","at","id");--> statement-breakpoint
CREATE INDEX "visitas_facts_client_latest" ON "visitas_facts" USING btree ("cliente_salon_id","at","id","estabelecimento_id");--> statement-breakpoint
CREATE INDEX "visitas_facts_unsent" ON "visitas_facts" USING btree ("at","estabelecimento_id","total") WHERE not "visitas_facts"."sent_to_erp";--> statement-breakpoint
-- All tables of facts. `npm run warehouse -- verify` compares each one with its source.
CREATE TABLE facts (
	facts text PRIMARY KEY,
	-- The table whose rows they are of.
	source text NOT NULL
);
--> statement-breakpoint
-- Fills a table of facts and creates the triggers that keep it exact. The table must exist and be empty: declare it in
-- src/v1/facts/table.ts and run `npm run db:generate`. Loaders of the source wait until the migration commits; readers do not.
--
-- `row_query` selects FROM ROWS the columns of the table, by their names. `id` is that of the source row, which may have several facts or
-- none. The function uses it in the view `<facts>_expected` and in the triggers `<facts>_insert`, `_update` and `_delete`.
--
-- A transaction that changes a row holds its lock until it ends, so no two transactions write facts of one row. An UPDATE that changes no
-- fact of a row writes none, so that a loader that fetches all rows again costs little. One statement may change a row that another part
-- of it deletes or inserts, in any order of the triggers: so facts are selected from the source again.
--
-- Statements that look up facts by id are planned each time they run: a plan made while the table was empty would read all of it for each
-- row of a later batch.
--
-- Example: the calls below. migrations/schema.sql contains the views and triggers that they create.
CREATE FUNCTION create_facts(source text, facts text, row_query text)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $do$
DECLARE
	columns CONSTANT text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = facts::regclass AND attnum > 0 AND NOT attisdropped);
	insert_facts CONSTANT text := format(E'INSERT INTO %I (%s)\nSELECT %2$s FROM (%s) AS facts', facts, columns, row_query);
	added CONSTANT text := format('SELECT %s FROM (%s) AS facts', columns, regexp_replace(row_query, '\mROWS\M', 'new_rows', 'g'));
	removed CONSTANT text := format('SELECT %s FROM (%s) AS facts', columns, regexp_replace(row_query, '\mROWS\M', 'old_rows', 'g'));
BEGIN
	PERFORM assert_read_committed('create_facts');
	EXECUTE format('CREATE VIEW %I AS SELECT %s FROM (%s) AS facts', facts || '_expected', columns,
		regexp_replace(row_query, '\mROWS\M', quote_ident(source), 'g'));
	PERFORM create_statement_trigger(source, facts || '_insert', 'INSERT', format(
		E'DECLARE are_known boolean;\nBEGIN\nEXECUTE %L INTO are_known;\nIF are_known THEN\nEXECUTE %L;\nEND IF;\n%s;\nRETURN NULL;\nEND ',
		format('SELECT EXISTS (SELECT FROM %I WHERE id IN (SELECT id FROM new_rows))', facts),
		format('DELETE FROM %I WHERE id IN (SELECT id FROM new_rows)', facts),
		regexp_replace(insert_facts, '\mROWS\M', 'new_rows', 'g')));
	PERFORM create_statement_trigger(source, facts || '_delete', 'DELETE', format(
		E'BEGIN\nEXECUTE %L;\nEXECUTE %L;\nRETURN NULL;\nEND ', format('DELETE FROM %I WHERE id IN (SELECT id FROM old_rows)', facts),
		regexp_replace(insert_facts, '\mROWS\M', format('(SELECT * FROM %I WHERE id IN (SELECT id FROM old_rows)) AS old_rows', source), 'g')));
	PERFORM create_statement_trigger(source, facts || '_update', 'UPDATE', format(
		$$DECLARE changed CONSTANT bigint[] := array(
	SELECT DISTINCT id FROM (
		SELECT id FROM (SELECT 1 AS sign, * FROM (%s) AS added UNION ALL SELECT -1, * FROM (%s) AS removed) AS both_facts
		GROUP BY %s HAVING sum(sign) <> 0
	) AS differing);
BEGIN
IF cardinality(changed) > 0 THEN
EXECUTE %L USING changed;
EXECUTE %L USING changed;
END IF;
RETURN NULL;
END $$, added, removed, columns, format('DELETE FROM %I WHERE id = ANY ($1)', facts),
		regexp_replace(insert_facts, '\mROWS\M', format('(SELECT * FROM %I WHERE id = ANY ($1)) AS new_rows', source), 'g')));
	-- DELETE and not TRUNCATE, which would also block reports.
	PERFORM create_statement_trigger(source, facts || '_truncate', 'TRUNCATE', format(
		$$DECLARE summed text;
BEGIN
PERFORM assert_read_committed('TRUNCATE of this table');
DELETE FROM %I;
-- The rollups keep rows whose sums are 0.
FOR summed IN SELECT rollup FROM rollups WHERE source = %L LOOP
EXECUTE format('DELETE FROM %%I', summed);
END LOOP;
RETURN NULL;
END $$, facts, facts));
	-- CREATE TRIGGER has locked out writers.
	EXECUTE format('INSERT INTO %I SELECT * FROM %I', facts, facts || '_expected');
	EXECUTE format('ANALYZE %I', facts);
	INSERT INTO facts VALUES (facts, source);
END $do$;
--> statement-breakpoint
-- Visits. Texts that are keys of rollups are cut to 200 characters: the size of an index entry is limited, and a loader must not fail
-- because of a report. Infinite times have no weekday and no hour.
SELECT create_facts('transacoes', 'visitas_facts', $$
	SELECT id, data_hora AS at, local::date AS day, extract(isodow FROM local)::smallint AS dia_semana,
		extract(hour FROM local)::smallint AS hora, estabelecimento_id, sent_to_erp,
		left(forma_pagamento_principal, 200) AS forma_pagamento, parcelas, cliente_salon_id, total
	FROM ROWS CROSS JOIN LATERAL (SELECT data_hora AT TIME ZONE 'America/Sao_Paulo' AS local) AS clock$$);
--> statement-breakpoint
-- Objects in `servicos` of visits. A `valor` that would make a sum overflow counts as 0. In the view, the cast keeps its limit short.
SELECT create_facts('transacoes', 'servicos_facts', $$
	SELECT id, data_hora AS at, local::date AS day, extract(isodow FROM local)::smallint AS dia_semana,
		extract(hour FROM local)::smallint AS hora, estabelecimento_id,
		CASE jsonb_typeof(service -> 'nome') WHEN 'string' THEN left(service ->> 'nome', 200) END AS servico,
		nullif(left(service ->> 'idProfissionalQueRealizouServico', 200), '') AS profissional,
		CASE WHEN service -> 'cortesia' = 'true' THEN 1 ELSE 0 END::smallint AS cortesias,
		CASE
			WHEN jsonb_typeof(service -> 'valor') IS DISTINCT FROM 'number' THEN 0
			WHEN abs((service -> 'valor')::numeric) < '1e130000'::text::numeric THEN (service -> 'valor')::numeric
			ELSE 0
		END AS valor
	FROM ROWS
		CROSS JOIN LATERAL (SELECT data_hora AT TIME ZONE 'America/Sao_Paulo' AS local) AS clock
		CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(servicos) WHEN 'array' THEN servicos ELSE '[]' END) AS items (service)
	WHERE jsonb_typeof(service) = 'object'$$);
--> statement-breakpoint
-- Lines of sales. What professionals took is apart. Null, NaN and infinite values add 0, because NaN and infinity would stay in a sum
-- forever. Postgres sorts NaN above infinity, so that `< 'Infinity'` excludes both.
SELECT create_facts('vendas_produto', 'vendas_facts', $$
	SELECT id, coalesce(data_hora, '-infinity') AS at, local::date AS day, extract(isodow FROM local)::smallint AS dia_semana,
		extract(hour FROM local)::smallint AS hora, estabelecimento_id, origem, origem || transacao_id AS transacao,
		left(produto_id, 200) AS produto_id, left(produto_nome, 200) AS produto_nome, left(profissional_id, 200) AS profissional,
		left(forma_pagamento, 200) AS forma_pagamento, cliente_id,
		CASE WHEN taken THEN 0 ELSE quantity END AS quantidade,
		CASE WHEN taken THEN 0 ELSE worth END AS valor_total,
		CASE WHEN taken THEN quantity ELSE 0 END AS quantidade_profissional,
		CASE WHEN taken THEN worth ELSE 0 END AS valor_profissional,
		CASE WHEN quantidade IS NULL THEN 1 ELSE 0 END::smallint AS sem_quantidade
	FROM ROWS CROSS JOIN LATERAL (
		SELECT data_hora AT TIME ZONE 'America/Sao_Paulo' AS local,
			forma_pagamento IS NOT DISTINCT FROM 'Descontar do Profissional' AS taken,
			CASE WHEN abs(quantidade) < 'Infinity' THEN quantidade ELSE 0 END AS quantity,
			CASE WHEN abs(valor_total) < 'Infinity' THEN valor_total ELSE 0 END AS worth
	) AS line$$);
--> statement-breakpoint
-- Ledger entries. `due` is the first ten characters of `DataVencimento`, if they are a date. A `ValorBruto` that would make a sum
-- overflow counts as missing.
SELECT create_facts('lancamentos', 'lancamentos_facts', $$
	SELECT id, synced_at AS at, (synced_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, text_date(raw_data ->> 'DataVencimento') AS due,
		estabelecimento_id,
		CASE jsonb_typeof(raw_data -> 'Pessoa') WHEN 'string' THEN left(raw_data ->> 'Pessoa', 200) END AS pessoa,
		CASE jsonb_typeof(raw_data -> 'CentroCusto') WHEN 'string' THEN left(raw_data ->> 'CentroCusto', 200) END AS centro_custo,
		sent_to_salon, coalesce(gross, 0) AS valor, CASE WHEN gross IS NULL THEN 1 ELSE 0 END::smallint AS sem_valor
	FROM ROWS CROSS JOIN LATERAL (
		SELECT CASE
			WHEN jsonb_typeof(raw_data -> 'ValorBruto') IS DISTINCT FROM 'number' THEN NULL
			WHEN abs((raw_data -> 'ValorBruto')::numeric) < '1e130000'::text::numeric THEN (raw_data -> 'ValorBruto')::numeric
		END AS gross
	) AS entry$$);
--> statement-breakpoint
-- Payments.
SELECT create_facts('pagamentos_erp', 'pagamentos_facts', $$
	SELECT id, data_vencimento AS due, data_pagamento AS paid, situacao, left(id_centro_custo, 200) AS id_centro_custo,
		left(nome_conta_classificacao, 200) AS nome_conta_classificacao, valor AS valor_exato,
		CASE WHEN abs(valor) < 'Infinity' THEN valor ELSE 0 END AS valor, CASE WHEN valor IS NULL THEN 1 ELSE 0 END::smallint AS sem_valor
	FROM ROWS$$);
--> statement-breakpoint
-- Removes the triggers, views and rows of a rollup, so that create_rollup can define it again. Readers and loaders of the source wait
-- until the migration commits.
CREATE FUNCTION empty_rollup(emptied text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE event text;
BEGIN
	DELETE FROM rollups WHERE rollup = emptied;
	IF NOT FOUND THEN
		RAISE 'there is no rollup %', emptied USING ERRCODE = '42704';
	END IF;
	FOREACH event IN ARRAY '{insert, delete, update, truncate}'::text[] LOOP
		EXECUTE format('DROP FUNCTION %I() CASCADE', emptied || '_' || event);
	END LOOP;
	EXECUTE format('DROP VIEW %I, %I', emptied || '_expected', emptied || '_source');
	EXECUTE format('DELETE FROM %I', emptied);
END $$;
--> statement-breakpoint
-- Drops a rollup with its table, views and triggers. Readers and loaders of the source wait until the migration commits.
CREATE OR REPLACE FUNCTION drop_rollup(dropped text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM empty_rollup(dropped);
	EXECUTE format('DROP TABLE %I', dropped);
END $$;
--> statement-breakpoint
-- Sums facts: names their columns and repeats no expression. `on_date` is the time or the date by which they are summed.
CREATE FUNCTION create_rollup_of_facts(facts text, rollup text, keys text[], measures text[], on_date text DEFAULT 'at')
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM create_rollup(facts, rollup, keys, measures, format('SELECT id, %1$I AS at, %2$I AS day, %3$s FROM ROWS%4$s',
		on_date, CASE on_date WHEN 'at' THEN 'day' ELSE on_date END,
		(SELECT string_agg(quote_ident(name), ', ' ORDER BY n) FROM unnest(keys || measures) WITH ORDINALITY AS names (name, n)),
		CASE WHEN 'hora' = ANY (keys) THEN ' WHERE hora IS NOT NULL' ELSE '' END));
END $$;
--> statement-breakpoint
SELECT drop_rollup('transacoes_servicos_rollup');
--> statement-breakpoint
SELECT empty_rollup(rollup) FROM unnest('{
	transacoes_horario_rollup, transacoes_forma_rollup, lancamentos_vencimento_rollup, pagamentos_vencimento_rollup,
	pagamentos_pagamento_rollup, vendas_produto_rollup, vendas_por_produto_rollup, vendas_por_unidade_rollup, vendas_horario_rollup
}'::text[]) AS rollup;
--> statement-breakpoint
SELECT create_rollup_of_facts(facts, rollup, keys, measures, on_date)
FROM (VALUES
	('visitas_facts', 'transacoes_horario_rollup', '{estabelecimento_id, dia_semana, hora}'::text[], '{total}'::text[], 'at'),
	('visitas_facts', 'transacoes_forma_rollup', '{estabelecimento_id, forma_pagamento, sent_to_erp}', '{total}', 'at'),
	('servicos_facts', 'servicos_profissional_rollup', '{estabelecimento_id, profissional}', '{cortesias, valor}', 'at'),
	('servicos_facts', 'servicos_nome_rollup', '{estabelecimento_id, servico}', '{cortesias, valor}', 'at'),
	('lancamentos_facts', 'lancamentos_vencimento_rollup', '{estabelecimento_id, pessoa, centro_custo, sent_to_salon}', '{valor, sem_valor}', 'due'),
	('pagamentos_facts', 'pagamentos_vencimento_rollup', '{situacao, id_centro_custo, nome_conta_classificacao}', '{valor, sem_valor}', 'due'),
	('pagamentos_facts', 'pagamentos_pagamento_rollup', '{situacao, id_centro_custo, nome_conta_classificacao}', '{valor, sem_valor}', 'paid')
) AS sums (facts, rollup, keys, measures, on_date);
--> statement-breakpoint
-- Sales: by unit, by product, by unit and product, and by weekday and hour. A list filters by the unit of the first, so it is not cut.
SELECT create_rollup('vendas_facts', rollup, keys,
	'{quantidade, valor_total, quantidade_profissional, valor_profissional, sem_quantidade}', format($$
	SELECT id, at, day, %s AS estabelecimento_id, origem, produto_id, produto_nome, dia_semana, hora,
		quantidade, valor_total, quantidade_profissional, valor_profissional, sem_quantidade
	FROM ROWS%s$$, unit, condition))
FROM (VALUES
	('vendas_produto_rollup', '{estabelecimento_id, origem}'::text[], 'estabelecimento_id', ''),
	('vendas_por_produto_rollup', '{origem, produto_id, produto_nome}', 'left(estabelecimento_id, 200)', ''),
	('vendas_por_unidade_rollup', '{estabelecimento_id, origem, produto_id, produto_nome}', 'left(estabelecimento_id, 200)', ''),
	('vendas_horario_rollup', '{estabelecimento_id, origem, dia_semana, hora}', 'left(estabelecimento_id, 200)', ' WHERE hora IS NOT NULL')
) AS sums (rollup, keys, unit, condition);
