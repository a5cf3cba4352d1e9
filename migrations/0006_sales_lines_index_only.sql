DROP INDEX "vendas_produto_latest";--> statement-breakpoint
DROP INDEX "vendas_produto_unit_latest";--> statement-breakpoint
DROP INDEX "vendas_produto_origin_latest";--> statement-breakpoint
CREATE INDEX "vendas_produto_latest" ON "vendas_produto" USING btree (coalesce("data_hora", '-infinity'),"id","data_hora");--> statement-breakpoint
CREATE INDEX "vendas_produto_unit_latest" ON "vendas_produto" USING btree ("estabelecimento_id",coalesce("data_hora", '-infinity'),"id","data_hora");--> statement-breakpoint
CREATE INDEX "vendas_produto_origin_latest" ON "vendas_produto" USING btree ("origem",coalesce("data_hora", '-infinity'),"id","data_hora");