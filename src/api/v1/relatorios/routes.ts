import { tableResponse } from "../../../platform/http/csv.ts";
import { jsonResponse } from "../../../platform/http/responses.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { generalReport } from "./general-report.ts";
import { generalAnswer, generalFilters } from "./general-schemas.ts";
import { painel } from "./panel.ts";
import { Painel, PainelFilters } from "./panel-schemas.ts";
import { naoMapeados, resumo, transacoesPorFormaPagamento, transacoesPorProfissional } from "./queries.ts";
import { dimensionColumns, dimensionsOf } from "./question.ts";
import {
  NaoMapeados,
  ReportFilters,
  Resumo,
  ResumoFilters,
  TransacoesPorFormaPagamento,
  TransacoesPorProfissional,
  TransacoesPorProfissionalFilters,
} from "./schemas.ts";
import type { Source } from "./source.ts";
import { SOURCES } from "./sources/index.ts";

const routeOf = <const Name extends string>(source: Source<Name>) =>
  readRoute({
    path: `/${source.name}` as const,
    request: { query: generalFilters(source) },
    response: tableResponse(generalAnswer(source), "The report"),
    operationId: source.name,
    isReport: true,
    summary: source.summary,
    description: source.description,
    ...(source.needs && { needs: source.needs }),
    recordedColumns: ({ por }) =>
      Object.keys(dimensionColumns(dimensionsOf({ source, dimensions: Array.isArray(por) ? por : [] }))),
    read: generalReport(source),
  });

/** Each route has a type of its own, for typed clients. */
type RoutesOf<Sources extends readonly Source[]> = {
  [Nth in keyof Sources]: ReturnType<typeof routeOf<Sources[Nth]["name"]>>;
};

const generalRoutes = SOURCES.map((source) => routeOf(source)) as unknown as RoutesOf<typeof SOURCES>;

export const relatoriosRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/resumo",
    request: { query: ResumoFilters },
    response: jsonResponse(Resumo, "The report"),
    operationId: "resumo",
    isReport: true,
    summary: "Totals of visits, ledger entries and jobs",
    description:
      "Returns totals of the units that you may read: visits by `data_hora`, with amounts and send status; " +
      "ledger entries by `synced_at`; and the jobs of the last 24 hours, to which no filter applies. For " +
      "revenue and comparisons of units, use `GET /v1/relatorios/faturamento`.",
    read: resumo,
  }),
  readRoute({
    path: "/transacoes-por-profissional",
    request: { query: TransacoesPorProfissionalFilters },
    response: tableResponse(TransacoesPorProfissional, "The report"),
    operationId: "transacoesPorProfissional",
    isReport: true,
    summary: "Visits by professional",
    description:
      "Returns one row per professional and business unit, highest `valor_total` first. A visit of two " +
      "professionals counts in full for each of them: never add up rows of different professionals. For " +
      "what each one did, use `GET /v1/relatorios/servicos`. Visits without a professional form one row per " +
      "unit, with `profissional_salon_id` `null`. One with an id but no name is not registered.",
    read: transacoesPorProfissional,
  }),
  readRoute({
    path: "/transacoes-por-forma-pagamento",
    request: { query: ReportFilters },
    response: tableResponse(TransacoesPorFormaPagamento, "The report"),
    operationId: "transacoesPorFormaPagamento",
    isReport: true,
    summary: "Visits by payment method",
    description:
      "Returns one row per `forma_pagamento_principal` with its card fee, highest `valor_total` first. " +
      "Visits without a payment method are in the row with `forma_pagamento` `null`.",
    read: transacoesPorFormaPagamento,
  }),
  readRoute({
    path: "/nao-mapeados",
    request: { query: ReportFilters },
    response: jsonResponse(NaoMapeados, "The report"),
    operationId: "naoMapeados",
    isReport: true,
    summary: "Professionals and business units not mapped to the ERP",
    description:
      "Returns the professionals in visits who have no cost centre in the ERP, with their visits; a visit " +
      "of two counts in full for each. Also returns the active units without a cost centre, to which no " +
      "filter applies.",
    read: naoMapeados,
  }),
  ...generalRoutes,
  readRoute({
    path: "/painel",
    request: { query: PainelFilters },
    response: jsonResponse(Painel, "The report"),
    operationId: "painel",
    isReport: true,
    summary: "The reports of the panel in one request",
    description:
      "Returns the parts of the panel from one snapshot, each as its report, or `null` if refused. " +
      "`servicos_por_profissional` has the ten best.",
    // No part of it is by client.
    recordedColumns: () => [],
    read: painel,
  }),
]);
