CREATE TABLE "jobs_log_rollup" (
	"grain" text NOT NULL,
	"starts_on" date NOT NULL,
	"job_name" text,
	"status" text,
	"writer" integer NOT NULL,
	"records" bigint NOT NULL,
	CONSTRAINT "jobs_log_rollup_key" UNIQUE NULLS NOT DISTINCT("grain","starts_on","job_name","status","writer")
);
--> statement-breakpoint
CREATE TABLE "lancamentos_rollup" (
	"grain" text NOT NULL,
	"starts_on" date NOT NULL,
	"estabelecimento_id" text,
	"sent_to_salon" boolean,
	"block" bigint,
	"writer" integer NOT NULL,
	"records" bigint NOT NULL,
	CONSTRAINT "lancamentos_rollup_key" UNIQUE NULLS NOT DISTINCT("grain","starts_on","estabelecimento_id","sent_to_salon","block","writer")
);
--> statement-breakpoint
CREATE TABLE "pagamentos_erp_rollup" (
	"grain" text NOT NULL,
	"starts_on" date NOT NULL,
	"situacao" smallint,
	"id_centro_custo" text,
	"nome_conta_classificacao" text,
	"block" bigint,
	"writer" integer NOT NULL,
	"records" bigint NOT NULL,
	CONSTRAINT "pagamentos_erp_rollup_key" UNIQUE NULLS NOT DISTINCT("grain","starts_on","situacao","id_centro_custo","nome_conta_classificacao","block","writer")
);
--> statement-breakpoint
CREATE TABLE "transacoes_report_rollup" (
	"grain" text NOT NULL,
	"starts_on" date NOT NULL,
	"dimension" text,
	"estabelecimento_id" text,
	"value" text,
	"writer" integer NOT NULL,
	"records" bigint NOT NULL,
	"total" numeric NOT NULL,
	CONSTRAINT "transacoes_report_rollup_key" UNIQUE NULLS NOT DISTINCT("grain","starts_on","dimension","estabelecimento_id","value","writer")
);
--> statement-breakpoint
CREATE TABLE "transacoes_rollup" (
	"grain" text NOT NULL,
	"starts_on" date NOT NULL,
	"estabelecimento_id" text,
	"sent_to_erp" boolean,
	"writer" integer NOT NULL,
	"records" bigint NOT NULL,
	"total" numeric NOT NULL,
	CONSTRAINT "transacoes_rollup_key" UNIQUE NULLS NOT DISTINCT("grain","starts_on","estabelecimento_id","sent_to_erp","writer")
);
--> statement-breakpoint
CREATE TABLE "vendas_produto_rollup" (
	"grain" text NOT NULL,
	"starts_on" date NOT NULL,
	"estabelecimento_id" text,
	"origem" text,
	"writer" integer NOT NULL,
	"records" bigint NOT NULL,
	CONSTRAINT "vendas_produto_rollup_key" UNIQUE NULLS NOT DISTINCT("grain","starts_on","estabelecimento_id","origem","writer")
);
--> statement-breakpoint
-- What these replace is dropped at the end of 0006: a dropped index locks readers out until the migration commits.
ALTER INDEX "transacoes_latest" RENAME TO "transacoes_latest_0002";--> statement-breakpoint
ALTER INDEX "vendas_produto_latest" RENAME TO "vendas_produto_latest_0002";--> statement-breakpoint
ALTER INDEX "vendas_produto_unit_latest" RENAME TO "vendas_produto_unit_latest_0002";--> statement-breakpoint
ALTER INDEX "vendas_produto_origin_latest" RENAME TO "vendas_produto_origin_latest_0002";--> statement-breakpoint
CREATE INDEX "lancamentos_id_range" ON "lancamentos" USING btree ("id","synced_at","estabelecimento_id","sent_to_salon");--> statement-breakpoint
CREATE INDEX "pagamentos_erp_id_range" ON "pagamentos_erp" USING btree ("id","data_vencimento","situacao","id_centro_custo","nome_conta_classificacao");--> statement-breakpoint
CREATE INDEX "transacoes_latest" ON "transacoes" USING btree ("data_hora","id","estabelecimento_id","sent_to_erp","total");--> statement-breakpoint
CREATE INDEX "vendas_produto_latest" ON "vendas_produto" USING btree (coalesce("data_hora", '-infinity'),"id");--> statement-breakpoint
CREATE INDEX "vendas_produto_unit_latest" ON "vendas_produto" USING btree ("estabelecimento_id",coalesce("data_hora", '-infinity'),"id");--> statement-breakpoint
CREATE INDEX "vendas_produto_origin_latest" ON "vendas_produto" USING btree ("origem",coalesce("data_hora", '-infinity'),"id");