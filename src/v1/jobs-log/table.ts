import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant } from "../../db/columns.ts";
import { rollupTable } from "../../db/rollup-table.ts";

export const JOB_NAMES = ["sync-transacoes", "send-receber", "send-pagar"] as const;
export const JOB_STATUSES = ["started", "completed", "failed"] as const;

/** History of the background workers that keep the warehouse in step. */
export const jobsLog = pgTable(
  "jobs_log",
  {
    id: id(),
    queue: text().notNull(),
    job_id: text(),
    job_name: text({ enum: JOB_NAMES }).notNull(),
    status: text({ enum: JOB_STATUSES }).notNull(),
    error: text(),
    duration_ms: integer(),
    created_at: instant().notNull().defaultNow(),
  },
  (t) => [
    check("jobs_log_job_name", sql`${t.job_name} in ('sync-transacoes', 'send-receber', 'send-pagar')`),
    check("jobs_log_status", sql`${t.status} in ('started', 'completed', 'failed')`),
    // The list's order, alone and under each filter.
    index("jobs_log_latest").on(t.created_at, t.id),
    index("jobs_log_name_latest").on(t.job_name, t.created_at, t.id),
    index("jobs_log_status_latest").on(t.status, t.created_at, t.id),
    // When each job last succeeded, and failed.
    index("jobs_log_name_status_latest").on(t.job_name, t.status, t.created_at, t.id),
  ],
);

/** How many runs there are. */
export const jobsLogRollup = rollupTable("jobs_log_rollup", { job_name: text(), status: text() });
