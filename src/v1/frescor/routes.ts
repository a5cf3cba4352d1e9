import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { frescor as readFrescor } from "./queries.ts";
import { Frescor } from "./schemas.ts";

export const frescorRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    answer: json(Frescor, "As of now"),
    operationId: "frescor",
    summary: "How fresh the data is",
    description:
      "When each job last succeeded and failed and whether it is running, in the order of their names in `/v1/jobs-log`, " +
      "and when the catalogue of each business unit was last synchronised.",
    read: readFrescor,
  }),
]);
