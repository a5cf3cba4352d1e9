import { createRoute } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { orNotFound, salonId } from "../../http/path-ids.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { findLancamento, listLancamentos } from "./queries.ts";
import { Lancamento, LancamentoPage, ListLancamentos } from "./schemas.ts";

const tags = ["lancamentos"];

export const lancamentos = createRouter()
  .openapi(
    createRoute({
      ...bearer({ query: ListLancamentos }),
      method: "get",
      path: "/",
      operationId: "listLancamentos",
      tags,
      summary: "List ledger entries",
      description:
        "Commissions and debits registered in the salon system, each originating from an ERP payment. Without `after_id`: " +
        "pages, newest id first. With `after_id`: by cursor, ascending by id.",
      responses: { 200: json(LancamentoPage, "One page"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await listLancamentos(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    createRoute({
      ...bearer({ params: salonId("L1") }),
      method: "get",
      path: "/{id}",
      operationId: "findLancamento",
      tags,
      summary: "One ledger entry",
      description: "The ledger entry with this `salon_id`; its `id` is the cursor's alone.",
      responses: { 200: json(Lancamento, "The entry"), ...errors(400, 401, 404, 405, 429, 503) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      return jsonText(c, orNotFound(await findLancamento(c.var.db, { id }), id, "salon_id"));
    },
  );
