ALTER TABLE "servicos_facts" ADD COLUMN "cliente_salon_id" text;--> statement-breakpoint
CREATE INDEX "vendas_facts_transaction" ON "vendas_facts" USING btree ("transacao") WHERE "vendas_facts"."origem" = 'salao';--> statement-breakpoint
CREATE INDEX "lancamentos_facts_person" ON "lancamentos_facts" USING btree ("pessoa","estabelecimento_id");
--> statement-breakpoint
-- As in 0015, with the client of the visit (R26).
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
		END AS valor, cliente_salon_id
	FROM ROWS
		CROSS JOIN LATERAL (SELECT data_hora AT TIME ZONE 'America/Sao_Paulo' AS local) AS clock
		CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(servicos) WHEN 'array' THEN servicos ELSE '[]' END) AS items (service)
	WHERE jsonb_typeof(service) = 'object'$$);
--> statement-breakpoint
-- In the order in which reports on clients read all of it. Sorts of other visits compare bytes, too (R25, R26).
DROP INDEX "visitas_facts_client_latest";--> statement-breakpoint
CREATE INDEX "visitas_facts_client_latest" ON "visitas_facts" USING btree ("cliente_salon_id" collate "C","at" DESC NULLS FIRST,"id" DESC NULLS FIRST,"estabelecimento_id","day","total");
