import { tableResponse } from "../../../platform/http/csv.ts";
import { fieldsParam, querySchema } from "../../../platform/http/params.ts";
import { integerId } from "../../../platform/http/path-ids.ts";
import { jsonResponse } from "../../../platform/http/responses.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { findPagamentoErp, listPagamentosErp } from "./queries.ts";
import { ListPagamentosErp, PagamentoErp, PagamentoErpPage } from "./schemas.ts";

export const pagamentosErpRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListPagamentosErp },
    response: tableResponse(PagamentoErpPage, "One page"),
    operationId: "listPagamentosErp",
    summary: "List ERP payments",
    description:
      "Returns the payments of the ERP, paid and pending, of every category and cost centre. They are " +
      "independent of the salon-to-ERP integration. For sums, use `GET /v1/relatorios/pagamentos`. For " +
      "overdue payments, send `situacao=1`, yesterday as `data_fim` and `ordem=vencimento`. Highest `id` " +
      "first; with `after_id`, lowest first.",
    needs: "payments",
    ...listPagamentosErp,
  }),
  readRoute({
    path: "/{id}",
    request: { params: integerId("erp_id", 900003), query: querySchema(fieldsParam(PagamentoErp)) },
    response: jsonResponse(PagamentoErp, "The payment"),
    operationId: "findPagamentoErp",
    summary: "Get an ERP payment",
    description: "Returns one payment by its `erp_id`.",
    needs: "payments",
    read: findPagamentoErp,
  }),
]);
