CREATE INDEX "jobs_log_latest" ON "jobs_log" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "jobs_log_name_latest" ON "jobs_log" USING btree ("job_name","created_at","id");--> statement-breakpoint
CREATE INDEX "jobs_log_status_latest" ON "jobs_log" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "lancamentos_unit" ON "lancamentos" USING btree ("estabelecimento_id","id");--> statement-breakpoint
CREATE INDEX "lancamentos_sent" ON "lancamentos" USING btree ("sent_to_salon","id");--> statement-breakpoint
CREATE INDEX "lancamentos_unit_sent" ON "lancamentos" USING btree ("estabelecimento_id","sent_to_salon","id");--> statement-breakpoint
CREATE INDEX "lancamentos_synced" ON "lancamentos" USING btree ("synced_at","id");--> statement-breakpoint
CREATE INDEX "lancamentos_unit_synced" ON "lancamentos" USING btree ("estabelecimento_id","synced_at","id");--> statement-breakpoint
CREATE INDEX "pagamentos_erp_situation" ON "pagamentos_erp" USING btree ("situacao","id");--> statement-breakpoint
CREATE INDEX "pagamentos_erp_cost_centre" ON "pagamentos_erp" USING btree ("id_centro_custo","id");--> statement-breakpoint
CREATE INDEX "pagamentos_erp_account" ON "pagamentos_erp" USING btree ("nome_conta_classificacao","id");--> statement-breakpoint
CREATE INDEX "pagamentos_erp_due" ON "pagamentos_erp" USING btree ("data_vencimento","id");--> statement-breakpoint
CREATE INDEX "produtos_name" ON "produtos" USING btree ("nome","estabelecimento_id","salon_id");--> statement-breakpoint
CREATE INDEX "produtos_unit_name" ON "produtos" USING btree ("estabelecimento_id","nome","salon_id");--> statement-breakpoint
CREATE INDEX "transacoes_latest" ON "transacoes" USING btree ("data_hora","id");--> statement-breakpoint
CREATE INDEX "transacoes_unit_latest" ON "transacoes" USING btree ("estabelecimento_id","data_hora","id");--> statement-breakpoint
CREATE INDEX "transacoes_sent_latest" ON "transacoes" USING btree ("sent_to_erp","data_hora","id");--> statement-breakpoint
CREATE INDEX "transacoes_unit_sent_latest" ON "transacoes" USING btree ("estabelecimento_id","sent_to_erp","data_hora","id");--> statement-breakpoint
CREATE INDEX "vendas_produto_latest" ON "vendas_produto" USING btree ("data_hora" DESC NULLS LAST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "vendas_produto_unit_latest" ON "vendas_produto" USING btree ("estabelecimento_id","data_hora" DESC NULLS LAST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "vendas_produto_origin_latest" ON "vendas_produto" USING btree ("origem","data_hora" DESC NULLS LAST,"id" DESC NULLS FIRST);