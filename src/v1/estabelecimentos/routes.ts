import { createRoute } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { integerId, orNotFound } from "../../http/path-ids.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { findEstabelecimento, listEstabelecimentos } from "./queries.ts";
import { Estabelecimento, EstabelecimentoList, ListEstabelecimentos } from "./schemas.ts";

const tags = ["estabelecimentos"];

export const estabelecimentos = createRouter()
  .openapi(
    createRoute({
      ...bearer({ query: ListEstabelecimentos }),
      method: "get",
      path: "/",
      operationId: "listEstabelecimentos",
      tags,
      summary: "List business units",
      description: "All business units by name, without pagination.",
      responses: { 200: json(EstabelecimentoList, "All of them"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await listEstabelecimentos(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    createRoute({
      ...bearer({ params: integerId("id", 1) }),
      method: "get",
      path: "/{id}",
      operationId: "findEstabelecimento",
      tags,
      summary: "One business unit",
      description: "The business unit with this `id`.",
      responses: { 200: json(Estabelecimento, "The business unit"), ...errors(400, 401, 404, 405, 429, 503) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      return jsonText(c, orNotFound(await findEstabelecimento(c.var.db, { id }), id, "id"));
    },
  );
