import { tableResponse } from "../../../platform/http/csv.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { listJobsLog } from "./queries.ts";
import { JobLogPage, ListJobsLog } from "./schemas.ts";

export const jobsLogRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListJobsLog },
    response: tableResponse(JobLogPage, "One page"),
    operationId: "listJobsLog",
    summary: "List the job history",
    description:
      "Returns the history of the jobs that load the data, latest first. A run has a row for its start and " +
      "one for its end (`completed` or `failed`): count ends. For the freshness of the data, use `GET /v1/frescor`.",
    ...listJobsLog,
  }),
]);
