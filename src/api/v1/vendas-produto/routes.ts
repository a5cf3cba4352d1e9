import { tableResponse } from "../../../platform/http/csv.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { listVendasProduto } from "./queries.ts";
import { ListVendasProduto, VendaProdutoPage } from "./schemas.ts";

export const vendasProdutoRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListVendasProduto },
    response: tableResponse(VendaProdutoPage, "One page"),
    operationId: "listVendasProduto",
    summary: "List product sales lines",
    description:
      "Returns product sales lines of salons and stores, latest `data_hora` first. Salons rarely " +
      "sell products. Days without sales are normal. A range omits lines without " +
      "`data_hora`. The lines are synchronised hourly. For sums, use `GET /v1/relatorios/vendas`.",
    ...listVendasProduto,
  }),
]);
