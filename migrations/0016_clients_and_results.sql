ALTER TABLE "servicos_facts" ADD COLUMN "cliente_salon_id" text;--> statement-breakpoint
ALTER TABLE "servicos_facts" ADD COLUMN "repeticao" smallint;--> statement-breakpoint
CREATE INDEX "vendas_facts_transaction" ON "vendas_facts" USING btree ("transacao") WHERE "vendas_facts"."origem" = 'salao';--> statement-breakpoint
CREATE INDEX "lancamentos_facts_person" ON "lancamentos_facts" USING btree ("pessoa","estabelecimento_id");
--> statement-breakpoint
-- In the order in which reports on clients read all of it. Sorts of other visits compare bytes, too (R25, R26).
DROP INDEX "visitas_facts_client_latest";--> statement-breakpoint
CREATE INDEX "visitas_facts_client_latest" ON "visitas_facts" USING btree ("cliente_salon_id" collate "C","at" DESC NULLS FIRST,"id" DESC NULLS FIRST,"estabelecimento_id","day","total");
--> statement-breakpoint
-- As in 0015, with the client of the visit, and with what counts a visit of several services once (R26).
SELECT redefine_facts('servicos_facts', $$
	SELECT id, data_hora AS at, local::date AS day, extract(isodow FROM local)::smallint AS dia_semana,
		extract(hour FROM local)::smallint AS hora, estabelecimento_id,
		CASE jsonb_typeof(service -> 'nome') WHEN 'string' THEN left(service ->> 'nome', 200) END AS servico,
		profissional,
		CASE WHEN service -> 'cortesia' = 'true' THEN 1 ELSE 0 END::smallint AS cortesias,
		CASE
			WHEN jsonb_typeof(service -> 'valor') IS DISTINCT FROM 'number' THEN 0
			WHEN abs((service -> 'valor')::numeric) < '1e130000'::text::numeric THEN (service -> 'valor')::numeric
			ELSE 0
		END AS valor, cliente_salon_id,
		CASE WHEN position = 1 THEN 0 WHEN position_of_professional = 1 THEN 1 ELSE 2 END::smallint AS repeticao
	FROM ROWS
		CROSS JOIN LATERAL (SELECT data_hora AT TIME ZONE 'America/Sao_Paulo' AS local) AS clock
		CROSS JOIN LATERAL (
			SELECT service, profissional, row_number() OVER (ORDER BY n) AS position,
				row_number() OVER (PARTITION BY profissional ORDER BY n) AS position_of_professional
			FROM jsonb_array_elements(CASE jsonb_typeof(servicos) WHEN 'array' THEN servicos ELSE '[]' END)
					WITH ORDINALITY AS items (service, n)
				CROSS JOIN LATERAL (SELECT service_professional(service) AS profissional) AS named
			WHERE jsonb_typeof(service) = 'object'
		) AS services$$);
