import { byTime } from "../../../platform/db/lists.ts";
import { listOf } from "../../../platform/db/pagination.ts";
import { ANY_UNIT } from "../../../platform/db/scope.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import { JobLog, type JobLogPage, type ListJobsLog } from "./schemas.ts";
import { jobsLogRollup, jobsLog as t } from "./table.ts";

export const jobLog = selectionOf(
  t,
  JobLog,
  {},
  { unit: ANY_UNIT, isMasked: ({ hidesJobErrors }) => hidesJobErrors },
);

/** Latest entry first (L1). The range filters `created_at` (L2). */
export const listJobsLog = listOf<typeof ListJobsLog, typeof JobLogPage>(
  jobLog,
  ({ job_name, status, ...range }) =>
    byTime(t, t.created_at, {
      rollup: jobsLogRollup,
      filters: { estabelecimento_id: ANY_UNIT, job_name, status },
      range,
    }),
);
