import { integerId } from "../../http/path-ids.ts";
import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { findEstabelecimento, listEstabelecimentos } from "./queries.ts";
import { Estabelecimento, EstabelecimentoList, ListEstabelecimentos } from "./schemas.ts";

export const estabelecimentosRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListEstabelecimentos },
    answer: json(EstabelecimentoList, "All of them"),
    operationId: "listEstabelecimentos",
    summary: "List business units",
    description:
      "All business units by name, without pagination: six salons and five stores. Elsewhere a unit goes by its `salon_id`, " +
      "there called `estabelecimento_id`, and in ERP payments by its `erp_centro_custo_id`.",
    read: listEstabelecimentos,
  }),
  readRoute({
    path: "/{id}",
    request: { params: integerId("id", 1) },
    answer: json(Estabelecimento, "The business unit"),
    operationId: "findEstabelecimento",
    summary: "One business unit",
    description: "The business unit with this `id`.",
    read: findEstabelecimento,
  }),
]);
