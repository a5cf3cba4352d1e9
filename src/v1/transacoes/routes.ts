import { createRoute } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { orNotFound, salonId } from "../../http/path-ids.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { findTransacao, listTransacoes } from "./queries.ts";
import { ListTransacoes, TransacaoDetalhada, TransacaoPage } from "./schemas.ts";

const tags = ["transacoes"];

export const transacoes = createRouter()
  .openapi(
    createRoute({
      ...bearer({ query: ListTransacoes }),
      method: "get",
      path: "/",
      operationId: "listTransacoes",
      tags,
      summary: "List visits",
      description: "Salon visits with their payment data, latest `data_hora` first.",
      responses: { 200: json(TransacaoPage, "One page"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await listTransacoes(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    createRoute({
      ...bearer({ params: salonId("T1") }),
      method: "get",
      path: "/{id}",
      operationId: "findTransacao",
      tags,
      summary: "One visit",
      description: "The visit with this `salon_id`, with its complete `raw_data`.",
      responses: { 200: json(TransacaoDetalhada, "The visit"), ...errors(400, 401, 404, 405, 429, 503) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      return jsonText(c, orNotFound(await findTransacao(c.var.db, { id }), id, "salon_id"));
    },
  );
