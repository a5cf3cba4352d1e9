import { salonId } from "../../http/path-ids.ts";
import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { findTransacao, listTransacoes } from "./queries.ts";
import { ListTransacoes, TransacaoDetalhada, TransacaoPage } from "./schemas.ts";

export const transacoesRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListTransacoes },
    answer: json(TransacaoPage, "One page"),
    operationId: "listTransacoes",
    summary: "List visits",
    description:
      "Salon visits with their payment data, latest `data_hora` first, to look at single visits. Stores have none. What " +
      "visits add up to is answered by reports: over time by /v1/relatorios/transacoes-por-periodo, by unit by " +
      "/v1/relatorios/transacoes-por-estabelecimento. How many there are: `pagination.total`.",
    read: listTransacoes,
  }),
  readRoute({
    path: "/{id}",
    request: { params: salonId("T1") },
    answer: json(TransacaoDetalhada, "The visit"),
    operationId: "findTransacao",
    summary: "One visit",
    description: "The visit with this `salon_id`, with its complete `raw_data`.",
    read: findTransacao,
  }),
]);
