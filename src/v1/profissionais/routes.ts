import { reading } from "../../auth/bearer.ts";
import { integerId } from "../../http/path-ids.ts";
import { json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { findProfissional, listProfissionais } from "./queries.ts";
import { ListProfissionais, Profissional, ProfissionalPage } from "./schemas.ts";

export const profissionais = createRouter()
  .openapi(
    reading("/", { query: ListProfissionais }, json(ProfissionalPage, "One page"), {
      operationId: "listProfissionais",
      summary: "List professionals",
      description:
        "Which professional of the salon system is which cost centre of the ERP, by name. What they did: " +
        "/v1/relatorios/transacoes-por-profissional; who is missing here: /v1/relatorios/nao-mapeados.",
    }),
    async (c) => jsonText(c, await listProfissionais(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    reading("/{id}", { params: integerId("id", 1) }, json(Profissional, "The professional"), {
      operationId: "findProfissional",
      summary: "One professional",
      description: "The professional with this `id`.",
    }),
    async (c) => jsonText(c, await findProfissional(c.var.db, c.req.valid("param"))),
  );
