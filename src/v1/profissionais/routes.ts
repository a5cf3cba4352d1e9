import { createRoute } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { integerId, orNotFound } from "../../http/path-ids.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { findProfissional, listProfissionais } from "./queries.ts";
import { ListProfissionais, Profissional, ProfissionalPage } from "./schemas.ts";

const tags = ["profissionais"];

export const profissionais = createRouter()
  .openapi(
    createRoute({
      ...bearer({ query: ListProfissionais }),
      method: "get",
      path: "/",
      operationId: "listProfissionais",
      tags,
      summary: "List professionals",
      description: "Which professional of the salon system is which cost centre of the ERP, by name.",
      responses: { 200: json(ProfissionalPage, "One page"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await listProfissionais(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    createRoute({
      ...bearer({ params: integerId("id", 1) }),
      method: "get",
      path: "/{id}",
      operationId: "findProfissional",
      tags,
      summary: "One professional",
      description: "The professional with this `id`.",
      responses: { 200: json(Profissional, "The professional"), ...errors(400, 401, 404, 405, 429, 503) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      return jsonText(c, orNotFound(await findProfissional(c.var.db, { id }), id, "id"));
    },
  );
