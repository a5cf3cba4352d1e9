import { tableResponse } from "../../../platform/http/csv.ts";
import { fieldsParam, querySchema } from "../../../platform/http/params.ts";
import { integerId } from "../../../platform/http/path-ids.ts";
import { jsonResponse } from "../../../platform/http/responses.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { findProfissional, listProfissionais } from "./queries.ts";
import { ListProfissionais, Profissional, ProfissionalPage } from "./schemas.ts";

export const profissionaisRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListProfissionais },
    response: tableResponse(ProfissionalPage, "One page"),
    operationId: "listProfissionais",
    summary: "List professionals",
    description:
      "Returns the professionals of the salon system with their cost centres in the ERP, by name. For " +
      "their visits, use `GET /v1/relatorios/transacoes-por-profissional`.",
    ...listProfissionais,
  }),
  readRoute({
    path: "/{id}",
    request: { params: integerId("id", 1), query: querySchema(fieldsParam(Profissional)) },
    response: jsonResponse(Profissional, "The professional"),
    operationId: "findProfissional",
    summary: "Get a professional",
    description: "Returns the professional with this `id`.",
    read: findProfissional,
  }),
]);
