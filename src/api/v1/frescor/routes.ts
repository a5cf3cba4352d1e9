import { jsonResponse } from "../../../platform/http/responses.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { frescor as readFrescor } from "./queries.ts";
import { Frescor } from "./schemas.ts";

export const frescorRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    response: jsonResponse(Frescor, "The current freshness"),
    operationId: "frescor",
    summary: "Get the freshness of the data",
    description:
      "Returns when each job last succeeded and failed and whether it is running, when the product catalogue " +
      "of each unit was last synced, how far the data reaches, the time and today's date in " +
      "Brasília, and what this token may read (`direitos`).",
    read: readFrescor,
  }),
]);
