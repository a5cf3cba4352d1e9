import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { listVendasProduto } from "./queries.ts";
import { ListVendasProduto, VendaProdutoPage } from "./schemas.ts";

export const vendasProdutoRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListVendasProduto },
    answer: json(VendaProdutoPage, "One page"),
    operationId: "listVendasProduto",
    summary: "List product sales lines",
    description:
      "Product lines sold, of salons and stores together unless `origem` chooses, latest `data_hora` first. Volume is low " +
      "and intermittent: whole days without sales are normal. In salons product sales are the exception; in stores " +
      "almost every transaction has them. Synchronised hourly. What they add up to: /v1/relatorios/vendas-por-produto.",
    read: listVendasProduto,
  }),
]);
