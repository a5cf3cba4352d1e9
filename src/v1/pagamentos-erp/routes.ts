import { tableResponse } from "../../http/csv.ts";
import { fieldsParam, queryOf } from "../../http/params.ts";
import { integerId } from "../../http/path-ids.ts";
import { jsonResponse } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
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
      "Returns all ERP payments, paid and pending, of every category and cost centre. They are " +
      "independent of the salon-to-ERP integration. For sums by account, cost centre or due date, use " +
      "/v1/relatorios/pagamentos. For overdue payments, send `situacao=1`, yesterday as `data_fim` and " +
      "`ordem=vencimento`. Without `after_id` the list has pages, highest id first or by due date. With " +
      "`after_id` it has a cursor, lowest id first.",
    needs: "payments",
    read: listPagamentosErp,
  }),
  readRoute({
    path: "/{id}",
    request: { params: integerId("erp_id", 900003), query: queryOf(fieldsParam(PagamentoErp)) },
    response: jsonResponse(PagamentoErp, "The payment"),
    operationId: "findPagamentoErp",
    summary: "Get an ERP payment",
    description: "Returns one payment by its `erp_id`.",
    needs: "payments",
    read: findPagamentoErp,
  }),
]);
