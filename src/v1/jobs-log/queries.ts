import { and, desc } from "drizzle-orm";
import { page } from "../../db/bodies.ts";
import type { Db } from "../../db/connect.ts";
import { between, eqIf } from "../../db/filters.ts";
import type { JobLogPage, ListJobsLog } from "./schemas.ts";
import { jobsLog as t } from "./table.ts";

const columns = {
  id: t.id,
  queue: t.queue,
  job_id: t.job_id,
  job_name: t.job_name,
  status: t.status,
  error: t.error,
  duration_ms: t.duration_ms,
  created_at: t.created_at,
};

/** Latest run first (L1). The range is over `created_at` (L2). */
export const listJobsLog = (db: Db, q: ListJobsLog) => {
  const where = and(eqIf(t.job_name, q.job_name), eqIf(t.status, q.status), between(t.created_at, q));
  return page<JobLogPage>(db, { table: t, columns, where, order: [desc(t.created_at), desc(t.id)] }, q);
};
