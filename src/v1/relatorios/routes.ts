import { table } from "../../http/csv.ts";
import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { amountRoutes } from "./amount-routes.ts";
import { clientes } from "./clients.ts";
import { Clientes, ClientesFilters } from "./clients-schemas.ts";
import { painel } from "./panel.ts";
import { transacoesPorPeriodo } from "./periods.ts";
import {
  naoMapeados,
  resumo,
  transacoesPorEstabelecimento,
  transacoesPorFormaPagamento,
  transacoesPorHorario,
  transacoesPorProfissional,
} from "./queries.ts";
import {
  EstabelecimentoFilters,
  NaoMapeados,
  Painel,
  PainelFilters,
  PeriodFilters,
  ReportFilters,
  Resumo,
  ResumoFilters,
  TransacoesPorEstabelecimento,
  TransacoesPorFormaPagamento,
  TransacoesPorHorario,
  TransacoesPorPeriodo,
  TransacoesPorProfissional,
  TransacoesPorProfissionalFilters,
} from "./schemas.ts";

export const relatoriosRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/resumo",
    request: { query: ResumoFilters },
    answer: json(Resumo, "The report"),
    operationId: "resumo",
    summary: "Totals of visits, ledger entries and jobs",
    description:
      "Returns totals: visits by `data_hora`, with amounts and send status; ledger entries by `synced_at`; and the jobs of " +
      "the last 24 hours, to which the filters do not apply. Without `estabelecimento_id`, the totals are over all business units. " +
      "To compare units, use /v1/relatorios/transacoes-por-estabelecimento.",
    read: resumo,
  }),
  readRoute({
    path: "/transacoes-por-profissional",
    request: { query: TransacoesPorProfissionalFilters },
    answer: table(TransacoesPorProfissional, "The report"),
    operationId: "transacoesPorProfissional",
    summary: "Visits by professional",
    description:
      "Returns one row per professional and business unit, highest `valor_total` first. A visit of two professionals " +
      "counts in full for each of them: do not add up rows of different professionals. Rows of one professional may be added " +
      "up. For what each one did, use /v1/relatorios/producao-por-profissional. Visits that name no professional form one row " +
      "per unit, with `profissional_salon_id` `null`. A professional with an id but no name is not registered.",
    read: transacoesPorProfissional,
  }),
  readRoute({
    path: "/transacoes-por-forma-pagamento",
    request: { query: ReportFilters },
    answer: table(TransacoesPorFormaPagamento, "The report"),
    operationId: "transacoesPorFormaPagamento",
    summary: "Visits by payment method",
    description:
      "Returns one row per `forma_pagamento_principal` with its card fee, highest `valor_total` first. Visits without a " +
      "payment method are in the row with `forma_pagamento` `null`.",
    read: transacoesPorFormaPagamento,
  }),
  readRoute({
    path: "/transacoes-por-periodo",
    request: { query: PeriodFilters },
    answer: table(TransacoesPorPeriodo, "The report"),
    operationId: "transacoesPorPeriodo",
    summary: "Visits over time",
    description:
      "Returns takings and visits, one row per day or month in Brasília, oldest first. The rows cover the range, " +
      "including periods without visits. If an end of the range is omitted, the first or last matching visit replaces it. " +
      "At the ends of the range, a period counts only visits within the range. The average ticket is `valor_total` / " +
      "`total_transacoes`.",
    read: transacoesPorPeriodo,
  }),
  readRoute({
    path: "/transacoes-por-estabelecimento",
    request: { query: EstabelecimentoFilters },
    answer: table(TransacoesPorEstabelecimento, "The report"),
    operationId: "transacoesPorEstabelecimento",
    summary: "Visits by business unit",
    description:
      "Returns one row per business unit that has visits, registered or not, highest `valor_total` first. Each row has the " +
      "number and amount of the visits not yet sent to the ERP. Stores have no visits: for their sales, use " +
      "/v1/relatorios/vendas-por-estabelecimento.",
    read: transacoesPorEstabelecimento,
  }),
  readRoute({
    path: "/transacoes-por-horario",
    request: { query: ReportFilters },
    answer: table(TransacoesPorHorario, "The report"),
    operationId: "transacoesPorHorario",
    summary: "Visits by weekday and hour",
    description:
      "Returns the number and amount of visits by weekday and hour of `data_hora` in Brasília, in order, only those with " +
      "visits. `dia_semana` 1 is Monday, 7 is Sunday.",
    read: transacoesPorHorario,
  }),
  readRoute({
    path: "/clientes",
    request: { query: ClientesFilters },
    answer: json(Clientes, "The report"),
    operationId: "clientes",
    summary: "New and returning clients",
    description:
      "Returns the number of clients with visits in a range of at most 400 days, how many of them came for the first time (`novos`) " +
      "or had come before (`recorrentes`), and the number of visits. With `estabelecimento_id`, only visits of that business unit count, also as first visits.",
    read: clientes,
  }),
  readRoute({
    path: "/nao-mapeados",
    request: { query: ReportFilters },
    answer: json(NaoMapeados, "The report"),
    operationId: "naoMapeados",
    summary: "Professionals and business units not mapped to the ERP",
    description:
      "Returns the professionals in visits who have no cost centre in the ERP, with their visits. A visit of two professionals counts " +
      "in full for each of them. Also returns the active business units without a cost centre. The filters do not apply to these units.",
    read: naoMapeados,
  }),
  ...amountRoutes,
  readRoute({
    path: "/painel",
    request: { query: PainelFilters },
    answer: json(Painel, "The report"),
    operationId: "painel",
    summary: "Six reports in one request",
    description:
      "Returns six reports from one snapshot: the summary, visits over time, by payment method, by professional and by " +
      "business unit, and sales by product. Each is the same as the separate report, but visits by professional and sales " +
      "by product have only the first ten rows. If you need one report, use that report.",
    read: painel,
  }),
]);
