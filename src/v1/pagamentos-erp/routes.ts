import { integerId } from "../../http/path-ids.ts";
import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { findPagamentoErp, listPagamentosErp } from "./queries.ts";
import { ListPagamentosErp, PagamentoErp, PagamentoErpPage } from "./schemas.ts";

export const pagamentosErpRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListPagamentosErp },
    answer: json(PagamentoErpPage, "One page"),
    operationId: "listPagamentosErp",
    summary: "List ERP payments",
    description:
      "All ERP payments, paid and pending, of any category or cost centre; independent of the salon-to-ERP integration. " +
      "What they add up to by account and month: /v1/relatorios/pagamentos-por-conta. Without `after_id`: pages, newest id first. With `after_id`: by cursor, ascending by id.",
    read: listPagamentosErp,
  }),
  readRoute({
    path: "/{id}",
    request: { params: integerId("erp_id", 900003) },
    answer: json(PagamentoErp, "The payment"),
    operationId: "findPagamentoErp",
    summary: "One ERP payment",
    description: "The payment with this `erp_id`.",
    read: findPagamentoErp,
  }),
]);
