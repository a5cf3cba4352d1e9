import { tableResponse } from "../../http/csv.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { listProdutos } from "./queries.ts";
import { ListProdutos, ProdutoPage } from "./schemas.ts";

export const produtosRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListProdutos },
    response: tableResponse(ProdutoPage, "One page"),
    operationId: "listProdutos",
    summary: "List products",
    description:
      "Returns the product catalogue of eleven business units (six salons, five stores), by name. It is " +
      "synchronised once a week, on Sunday at 05:00 Brasília time, so a `synced_at` of a few days ago is " +
      "normal. For sales, use /v1/relatorios/vendas.",
    read: listProdutos,
  }),
]);
