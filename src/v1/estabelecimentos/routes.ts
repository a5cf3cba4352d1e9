import { reading } from "../../auth/bearer.ts";
import { integerId } from "../../http/path-ids.ts";
import { json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { findEstabelecimento, listEstabelecimentos } from "./queries.ts";
import { Estabelecimento, EstabelecimentoList, ListEstabelecimentos } from "./schemas.ts";

export const estabelecimentos = createRouter()
  .openapi(
    reading("/", { query: ListEstabelecimentos }, json(EstabelecimentoList, "All of them"), {
      operationId: "listEstabelecimentos",
      summary: "List business units",
      description:
        "All business units by name, without pagination: six salons and five stores. Elsewhere a unit goes by its `salon_id`, " +
        "there called `estabelecimento_id`, and in ERP payments by its `erp_centro_custo_id`.",
    }),
    async (c) => jsonText(c, await listEstabelecimentos(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    reading("/{id}", { params: integerId("id", 1) }, json(Estabelecimento, "The business unit"), {
      operationId: "findEstabelecimento",
      summary: "One business unit",
      description: "The business unit with this `id`.",
    }),
    async (c) => jsonText(c, await findEstabelecimento(c.var.db, c.req.valid("param"))),
  );
