import { createRoute } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { listVendasProduto } from "./queries.ts";
import { ListVendasProduto, VendaProdutoPage } from "./schemas.ts";

const tags = ["vendas-produto"];

export const vendasProduto = createRouter().openapi(
  createRoute({
    ...bearer({ query: ListVendasProduto }),
    method: "get",
    path: "/",
    operationId: "listVendasProduto",
    tags,
    summary: "List product sales lines",
    description:
      "Product lines sold, of salons and stores together unless `origem` chooses, latest `data_hora` first. Volume is low " +
      "and intermittent: whole days without sales are normal. In salons product sales are the exception; in stores " +
      "almost every transaction has them. Synchronised hourly.",
    responses: { 200: json(VendaProdutoPage, "One page"), ...errors(400, 401, 405, 429, 503) },
  }),
  async (c) => jsonText(c, await listVendasProduto(c.var.db, c.req.valid("query"))),
);
