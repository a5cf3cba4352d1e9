-- How fresh the data is, whatever the size of the job history and the catalogue: one step into an index for each answer.
-- Loaders of the two tables wait while these are built, some seconds for a million rows; readers do not.
CREATE INDEX "jobs_log_name_status_latest" ON "jobs_log" USING btree ("job_name","status","created_at","id");--> statement-breakpoint
CREATE INDEX "produtos_unit_synced" ON "produtos" USING btree ("estabelecimento_id","synced_at");
