-- In the order in which reports on clients read all of it. Sorts of other visits compare bytes, too (R25, R26).
DROP INDEX "visitas_facts_client_latest";--> statement-breakpoint
CREATE INDEX "visitas_facts_client_latest" ON "visitas_facts" USING btree ("cliente_salon_id" collate "C","at" DESC NULLS FIRST,"id" DESC NULLS FIRST,"estabelecimento_id","day","total");
