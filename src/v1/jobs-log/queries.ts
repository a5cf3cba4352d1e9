import { desc } from "drizzle-orm";
import { page } from "../../db/bodies.ts";
import { byTime } from "../../db/lists.ts";
import type { JobLogPage, ListJobsLog } from "./schemas.ts";
import { jobsLogRollup, jobsLog as t } from "./table.ts";

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
export const listJobsLog = page<ListJobsLog, JobLogPage>(({ job_name, status, ...range }) => ({
  table: t,
  columns,
  order: [desc(t.created_at), desc(t.id)],
  find: byTime({ rollup: jobsLogRollup, filters: { job_name, status }, range }),
}));
