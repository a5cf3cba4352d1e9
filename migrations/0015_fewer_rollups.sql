-- Facts answer what these rollups held: none made a question that is asked every day ten times cheaper.
SELECT drop_rollup(rollup) FROM unnest('{
	vendas_por_produto_rollup, vendas_horario_rollup, lancamentos_vencimento_rollup,
	pagamentos_vencimento_rollup, pagamentos_pagamento_rollup
}'::text[]) AS rollup;
--> statement-breakpoint
CREATE INDEX "lancamentos_facts_due" ON "lancamentos_facts" USING btree ("due","estabelecimento_id");--> statement-breakpoint
CREATE INDEX "lancamentos_facts_unsent" ON "lancamentos_facts" USING btree ("due","estabelecimento_id","sent_to_salon","valor") WHERE not "lancamentos_facts"."sent_to_salon";
--> statement-breakpoint
-- Defines facts again, for example with one more column, which must be nullable or have a default. The rollups of the facts follow.
-- Readers of the facts and loaders of the source wait until the migration commits.
CREATE FUNCTION redefine_facts(redefined text, row_query text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
	defined_source CONSTANT text := (SELECT source FROM facts WHERE facts.facts = redefined);
	event text;
BEGIN
	IF defined_source IS NULL THEN
		RAISE 'there are no facts %', redefined USING ERRCODE = '42704';
	END IF;
	EXECUTE format('LOCK TABLE %I, %I', defined_source, redefined);
	FOREACH event IN ARRAY '{insert, delete, update, truncate}'::text[] LOOP
		EXECUTE format('DROP FUNCTION %I() CASCADE', redefined || '_' || event);
	END LOOP;
	EXECUTE format('DROP VIEW %I', redefined || '_expected');
	EXECUTE format('DELETE FROM %I', redefined);
	DELETE FROM facts WHERE facts.facts = redefined;
	PERFORM create_facts(defined_source, redefined, row_query);
END $$;
--> statement-breakpoint
-- The professional of an object in `servicos`; null for none.
CREATE FUNCTION service_professional(service jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(left(service ->> 'idProfissionalQueRealizouServico', 200), '');
--> statement-breakpoint
-- As in 0014, with the professional in one place.
SELECT redefine_facts('servicos_facts', $$
	SELECT id, data_hora AS at, local::date AS day, extract(isodow FROM local)::smallint AS dia_semana,
		extract(hour FROM local)::smallint AS hora, estabelecimento_id,
		CASE jsonb_typeof(service -> 'nome') WHEN 'string' THEN left(service ->> 'nome', 200) END AS servico,
		service_professional(service) AS profissional,
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
-- Visits by professional: each counts once for each of its professionals, or once for null. No facts are of both.
SELECT empty_rollup('transacoes_profissional_rollup');
--> statement-breakpoint
SELECT create_rollup('transacoes', 'transacoes_profissional_rollup', '{estabelecimento_id, profissional}', '{total}', $$
	SELECT id, data_hora AS at, (data_hora AT TIME ZONE 'America/Sao_Paulo')::date AS day, estabelecimento_id, profissional, total
	FROM ROWS LEFT JOIN LATERAL (
		SELECT DISTINCT service_professional(service) AS profissional
		FROM jsonb_array_elements(CASE jsonb_typeof(servicos) WHEN 'array' THEN servicos ELSE '[]' END) AS service
		WHERE service_professional(service) IS NOT NULL
	) AS took_part ON true$$);
