import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { listJobsLog } from "./queries.ts";
import { JobLogPage, ListJobsLog } from "./schemas.ts";

export const jobsLogRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListJobsLog },
    answer: json(JobLogPage, "One page"),
    operationId: "listJobsLog",
    summary: "List background jobs",
    description:
      "History of the workers that keep the data in sync, latest first: a row for each begin and each end of a run. " +
      "To count runs, take those that ended: `status` completed or failed. How fresh the data is by it: GET /v1/frescor.",
    read: listJobsLog,
  }),
]);
