import { z } from "@hono/zod-openapi";
import { pageOf, paging } from "../../http/pages.ts";
import { dateRange, oneOf, query } from "../../http/params.ts";
import { instant } from "../fields.ts";
import { JOB_NAMES, JOB_STATUSES } from "./table.ts";

export const JobLog = z
  .object({
    id: z.int().openapi({ example: 1 }),
    queue: z.string().openapi({ example: "sync" }),
    job_id: z.string().nullable().openapi({ example: "J1" }),
    job_name: z.enum(JOB_NAMES).openapi({ example: "sync-transacoes" }),
    status: z.enum(JOB_STATUSES).openapi({
      description:
        "A run has a row when it begins (`started`) and another when it ends (`completed` or `failed`). A job whose newest " +
        "row is `started` is running.",
      example: "completed",
    }),
    error: z.string().nullable().openapi({ description: "Error message, only for `failed`", example: null }),
    duration_ms: z.int().nullable().openapi({ description: "Milliseconds", example: 1234 }),
    created_at: instant(),
  })
  .openapi("JobLog");

export const JobLogPage = pageOf(JobLog).openapi("JobLogPage");
export type JobLogPage = z.output<typeof JobLogPage>;

export const ListJobsLog = query({
  ...paging,
  job_name: oneOf(JOB_NAMES, "Only rows of this job.").optional(),
  status: oneOf(JOB_STATUSES, "Only rows with this status; to count runs, those that ended.").optional(),
  ...dateRange("created_at"),
});
export type ListJobsLog = z.output<typeof ListJobsLog>;
