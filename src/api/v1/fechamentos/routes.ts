import { tableResponse } from "../../../platform/http/csv.ts";
import { jsonResponse } from "../../../platform/http/responses.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { findFechamento, listFechamentos } from "./queries.ts";
import { FechamentoDoMes, FechamentoPage, ListFechamentos, monthPath } from "./schemas.ts";

export const fechamentosRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListFechamentos },
    response: tableResponse(FechamentoPage, "One page"),
    operationId: "fechamentos",
    summary: "List closed months",
    description:
      "Returns a record each time that an operator closed a month, which signs its figures, or reopened it, newest " +
      "first. For the figures, and what changed since, use `GET /v1/fechamentos/{mes}`.",
    ...listFechamentos,
  }),
  readRoute({
    path: "/{mes}",
    request: { params: monthPath },
    response: jsonResponse(FechamentoDoMes, "The newest closing of the month"),
    operationId: "fechamento",
    summary: "Compare a closed month with its signed figures",
    description:
      "Returns the figures that the newest closing of a month signed, the present ones, and their difference: " +
      "revenue and ledger entries by unit, and payments by account and status. Entries and payments are of the " +
      "month in which they are due. `alteracoes` counts the records that were written or removed since, and has " +
      "the URL that returns them.",
    isReport: true,
    read: findFechamento,
  }),
]);
