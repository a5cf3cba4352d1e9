import { tableResponse } from "../../../platform/http/csv.ts";
import { fieldsParam, querySchema } from "../../../platform/http/params.ts";
import { integerId } from "../../../platform/http/path-ids.ts";
import { jsonResponse } from "../../../platform/http/responses.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { findEstabelecimento, listEstabelecimentos } from "./queries.ts";
import { Estabelecimento, EstabelecimentoList, ListEstabelecimentos } from "./schemas.ts";

export const estabelecimentosRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListEstabelecimentos },
    response: tableResponse(EstabelecimentoList, "The business units that you may read"),
    operationId: "listEstabelecimentos",
    summary: "List business units",
    description:
      "Returns the business units that you may read, by name and without pagination: salons, stores, and " +
      "the office, which has no `salon_id` and so no visits or sales. Elsewhere `estabelecimento_id` is a " +
      "unit's `salon_id`. ERP payments refer to it by its `erp_centro_custo_id`.",
    ...listEstabelecimentos,
  }),
  readRoute({
    path: "/{id}",
    request: { params: integerId("id", 1), query: querySchema(fieldsParam(Estabelecimento)) },
    response: jsonResponse(Estabelecimento, "The business unit"),
    operationId: "findEstabelecimento",
    summary: "Get a business unit",
    description: "Returns the business unit with this `id`.",
    read: findEstabelecimento,
  }),
]);
