import { tableResponse } from "../../../platform/http/csv.ts";
import { createRouter } from "../../../platform/http/router.ts";
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
      "Returns the product catalogue of each salon and store that you may read, by name. It is " +
      "synchronised on Sundays at 05:00 in Brasília, so a `synced_at` of a few days ago is normal. For " +
      "sales, use `GET /v1/relatorios/vendas`.",
    ...listProdutos,
  }),
]);
