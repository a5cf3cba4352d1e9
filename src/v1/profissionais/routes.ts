import { integerId } from "../../http/path-ids.ts";
import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { findProfissional, listProfissionais } from "./queries.ts";
import { ListProfissionais, Profissional, ProfissionalPage } from "./schemas.ts";

export const profissionaisRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListProfissionais },
    answer: json(ProfissionalPage, "One page"),
    operationId: "listProfissionais",
    summary: "List professionals",
    description:
      "Which professional of the salon system is which cost centre of the ERP, by name. What they did: " +
      "/v1/relatorios/transacoes-por-profissional; who is missing here: /v1/relatorios/nao-mapeados.",
    read: listProfissionais,
  }),
  readRoute({
    path: "/{id}",
    request: { params: integerId("id", 1) },
    answer: json(Profissional, "The professional"),
    operationId: "findProfissional",
    summary: "One professional",
    description: "The professional with this `id`.",
    read: findProfissional,
  }),
]);
