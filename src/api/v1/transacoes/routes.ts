import { tableResponse } from "../../../platform/http/csv.ts";
import { fieldsParam, querySchema } from "../../../platform/http/params.ts";
import { salonId } from "../../../platform/http/path-ids.ts";
import { jsonResponse } from "../../../platform/http/responses.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { findTransacao, listTransacoes } from "./queries.ts";
import { ListTransacoes, TransacaoDetalhada, TransacaoPage } from "./schemas.ts";

export const transacoesRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListTransacoes },
    response: tableResponse(TransacaoPage, "One page"),
    operationId: "listTransacoes",
    summary: "List visits",
    description:
      "Returns salon visits with their payment data, latest `data_hora` first. Stores have no visits. " +
      "For counts and sums, use `GET /v1/relatorios/visitas`. Payment methods have the names of the salon " +
      "system, such as `Dinheiro`, `Crédito Parcelado`, `Vale Presente`, and `Descontar do Profissional` " +
      "(a professional took products: no sale to a customer).",
    ...listTransacoes,
  }),
  readRoute({
    path: "/{id}",
    request: { params: salonId("T1"), query: querySchema(fieldsParam(TransacaoDetalhada)) },
    response: jsonResponse(TransacaoDetalhada, "The visit"),
    operationId: "findTransacao",
    summary: "Get a visit",
    description: "Returns one visit by its `salon_id`, including its complete `raw_data`.",
    read: findTransacao,
  }),
]);
