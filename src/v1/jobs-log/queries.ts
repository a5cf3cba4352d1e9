import { page } from "../../db/bodies.ts";
import { byTime } from "../../db/lists.ts";
import { selectionOf } from "../../db/selection.ts";
import { JobLog, type JobLogPage, type ListJobsLog } from "./schemas.ts";
import { jobsLogRollup, jobsLog as t } from "./table.ts";

/** Latest run first (L1). The range is over `created_at` (L2). */
export const listJobsLog = page<typeof ListJobsLog, typeof JobLogPage>(
  selectionOf(t, JobLog, {}),
  ({ job_name, status, ...range }) =>
    byTime(t, t.created_at, { rollup: jobsLogRollup, filters: { job_name, status }, range }),
);
