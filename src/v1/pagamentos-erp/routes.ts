import { createRoute } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { integerId, orNotFound } from "../../http/path-ids.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { findPagamentoErp, listPagamentosErp } from "./queries.ts";
import { ListPagamentosErp, PagamentoErp, PagamentoErpPage } from "./schemas.ts";

const tags = ["pagamentos-erp"];

export const pagamentosErp = createRouter()
  .openapi(
    createRoute({
      ...bearer({ query: ListPagamentosErp }),
      method: "get",
      path: "/",
      operationId: "listPagamentosErp",
      tags,
      summary: "List ERP payments",
      description:
        "All ERP payments, paid and pending, of any category or cost centre; independent of the salon-to-ERP integration. " +
        "Without `after_id`: pages, newest id first. With `after_id`: by cursor, ascending by id.",
      responses: { 200: json(PagamentoErpPage, "One page"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await listPagamentosErp(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    createRoute({
      ...bearer({ params: integerId("erp_id", 900003) }),
      method: "get",
      path: "/{id}",
      operationId: "findPagamentoErp",
      tags,
      summary: "One ERP payment",
      description: "The payment with this `erp_id`.",
      responses: { 200: json(PagamentoErp, "The payment"), ...errors(400, 401, 404, 405, 429, 503) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      return jsonText(c, orNotFound(await findPagamentoErp(c.var.db, { id }), id, "erp_id"));
    },
  );
