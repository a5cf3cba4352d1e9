import { createRoute } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { listProdutos } from "./queries.ts";
import { ListProdutos, ProdutoPage } from "./schemas.ts";

const tags = ["produtos"];

export const produtos = createRouter().openapi(
  createRoute({
    ...bearer({ query: ListProdutos }),
    method: "get",
    path: "/",
    operationId: "listProdutos",
    tags,
    summary: "List products",
    description:
      "The catalogue of eleven units (six salons, five stores), by name. It is synchronised once a week, Sunday 05:00 " +
      "Brasília time: a `synced_at` of a few days ago is normal.",
    responses: { 200: json(ProdutoPage, "One page"), ...errors(400, 401, 405, 429, 503) },
  }),
  async (c) => jsonText(c, await listProdutos(c.var.db, c.req.valid("query"))),
);
