import { createRoute } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { listJobsLog } from "./queries.ts";
import { JobLogPage, ListJobsLog } from "./schemas.ts";

const tags = ["jobs-log"];

export const jobsLog = createRouter().openapi(
  createRoute({
    ...bearer({ query: ListJobsLog }),
    method: "get",
    path: "/",
    operationId: "listJobsLog",
    tags,
    summary: "List background jobs",
    description:
      "History of the workers that keep the data in sync, latest first: a row for each begin and each end of a run. " +
      "How fresh the data is by it: GET /v1/frescor.",
    responses: { 200: json(JobLogPage, "One page"), ...errors(400, 401, 405, 429, 503) },
  }),
  async (c) => jsonText(c, await listJobsLog(c.var.db, c.req.valid("query"))),
);
