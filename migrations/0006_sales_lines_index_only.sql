ALTER INDEX "vendas_produto_latest" RENAME TO "vendas_produto_latest_0003";--> statement-breakpoint
ALTER INDEX "vendas_produto_unit_latest" RENAME TO "vendas_produto_unit_latest_0003";--> statement-breakpoint
ALTER INDEX "vendas_produto_origin_latest" RENAME TO "vendas_produto_origin_latest_0003";--> statement-breakpoint
CREATE INDEX "vendas_produto_latest" ON "vendas_produto" USING btree (coalesce("data_hora", '-infinity'),"id","data_hora");--> statement-breakpoint
CREATE INDEX "vendas_produto_unit_latest" ON "vendas_produto" USING btree ("estabelecimento_id",coalesce("data_hora", '-infinity'),"id","data_hora");--> statement-breakpoint
CREATE INDEX "vendas_produto_origin_latest" ON "vendas_produto" USING btree ("origem",coalesce("data_hora", '-infinity'),"id","data_hora");--> statement-breakpoint
-- Last, as it locks readers out until the commit that follows.
DROP INDEX IF EXISTS "lancamentos_unit_synced", "pagamentos_erp_due", "transacoes_latest_0002", "vendas_produto_latest_0002", "vendas_produto_unit_latest_0002", "vendas_produto_origin_latest_0002", "vendas_produto_latest_0003", "vendas_produto_unit_latest_0003", "vendas_produto_origin_latest_0003";
