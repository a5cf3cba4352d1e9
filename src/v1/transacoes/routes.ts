import { reading } from "../../auth/bearer.ts";
import { salonId } from "../../http/path-ids.ts";
import { json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { findTransacao, listTransacoes } from "./queries.ts";
import { ListTransacoes, TransacaoDetalhada, TransacaoPage } from "./schemas.ts";

export const transacoes = createRouter()
  .openapi(
    reading("/", { query: ListTransacoes }, json(TransacaoPage, "One page"), {
      operationId: "listTransacoes",
      summary: "List visits",
      description:
        "Salon visits with their payment data, latest `data_hora` first, to look at single visits. Stores have none. What " +
        "visits add up to is answered by reports: over time by /v1/relatorios/transacoes-por-periodo, by unit by " +
        "/v1/relatorios/transacoes-por-estabelecimento. How many there are: `pagination.total`.",
    }),
    async (c) => jsonText(c, await listTransacoes(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    reading("/{id}", { params: salonId("T1") }, json(TransacaoDetalhada, "The visit"), {
      operationId: "findTransacao",
      summary: "One visit",
      description: "The visit with this `salon_id`, with its complete `raw_data`.",
    }),
    async (c) => jsonText(c, await findTransacao(c.var.db, c.req.valid("param"))),
  );
