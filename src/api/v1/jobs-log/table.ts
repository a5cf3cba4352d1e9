import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { idColumn, instantColumn } from "../../../platform/db/columns.ts";
import { rollupTable } from "../../../platform/db/rollup.ts";

export const JOB_NAMES = ["sync-transacoes", "send-receber", "send-pagar"] as const;
export const JOB_STATUSES = ["started", "completed", "failed"] as const;

/** Job history of the workers that synchronise the warehouse. */
export const jobsLog = pgTable(
  "jobs_log",
  {
    id: idColumn(),
    queue: text().notNull(),
    job_id: text(),
    job_name: text({ enum: JOB_NAMES }).notNull(),
    status: text({ enum: JOB_STATUSES }).notNull(),
    error: text(),
    duration_ms: integer(),
    created_at: instantColumn().notNull().defaultNow(),
  },
  (t) => [
    check("jobs_log_job_name", sql`${t.job_name} in ('sync-transacoes', 'send-receber', 'send-pagar')`),
    check("jobs_log_status", sql`${t.status} in ('started', 'completed', 'failed')`),
    // For the list, unfiltered and with each filter.
    index("jobs_log_latest").on(t.created_at, t.id),
    index("jobs_log_name_latest").on(t.job_name, t.created_at, t.id),
    index("jobs_log_status_latest").on(t.status, t.created_at, t.id),
    // For `/v1/frescor`: the last success and failure of each job.
    index("jobs_log_name_status_latest").on(t.job_name, t.status, t.created_at, t.id),
    // For the data instant (R23).
    index("jobs_log_runs")
      .on(t.status, t.created_at, t.id, t.job_id, t.duration_ms)
      .where(sql`${t.job_name} = 'sync-transacoes'`),
  ],
);

export const jobsLogRollup = rollupTable("jobs_log_rollup", { job_name: text(), status: text() });
