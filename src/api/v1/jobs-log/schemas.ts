import { z } from "@hono/zod-openapi";
import { withMetadata } from "../../../core/schema-metadata.ts";
import { personal } from "../../../platform/db/personal-data.ts";
import { pageOf, pageParams } from "../../../platform/http/page-schemas.ts";
import { dateRange, fieldsParam, oneOf, querySchema } from "../../../platform/http/params.ts";
import { instant, int, record, string } from "../fields.ts";
import { JOB_NAMES, JOB_STATUSES } from "./table.ts";

export const JobLog = record("JobLog", {
  id: int(1),
  queue: string("sync"),
  job_id: string("J1").nullable(),
  job_name: z.enum(JOB_NAMES).openapi({ example: "sync-transacoes" }),
  status: z.enum(JOB_STATUSES).openapi({
    description:
      "A run has one row for its start (`started`) and one for its end (`completed` or `failed`). A job " +
      "whose latest row is `started` is running.",
    example: "completed",
  }),
  error: withMetadata(personal(string(null, "Error message, only for `failed`").nullable()), {
    isUnrecorded: true,
  }),
  duration_ms: int(1234, "Duration in milliseconds").nullable(),
  created_at: instant(),
});

export const JobLogPage = pageOf(JobLog).openapi("JobLogPage");

export const ListJobsLog = querySchema({
  ...pageParams,
  ...fieldsParam(JobLog),
  job_name: oneOf(JOB_NAMES, "Only rows of this job.").optional(),
  status: oneOf(
    JOB_STATUSES,
    "Only rows with this status. To count runs, use `completed` or `failed`.",
  ).optional(),
  ...dateRange("`created_at`"),
});
