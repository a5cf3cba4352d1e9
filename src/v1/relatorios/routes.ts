import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { painel } from "./panel.ts";
import { pagamentosPorConta } from "./payments.ts";
import { transacoesPorPeriodo } from "./periods.ts";
import {
  naoMapeados,
  resumo,
  transacoesPorEstabelecimento,
  transacoesPorFormaPagamento,
  transacoesPorProfissional,
} from "./queries.ts";
import { vendasPorProduto } from "./sales.ts";
import {
  NaoMapeados,
  PagamentosPorConta,
  PagamentosPorContaFilters,
  Painel,
  PainelFilters,
  PeriodFilters,
  ReportFilters,
  Resumo,
  ResumoFilters,
  TransacoesPorEstabelecimento,
  TransacoesPorFormaPagamento,
  TransacoesPorPeriodo,
  TransacoesPorProfissional,
  VendasPorProduto,
  VendasPorProdutoFilters,
} from "./schemas.ts";

export const relatoriosRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/resumo",
    request: { query: ResumoFilters },
    answer: json(Resumo, "The report"),
    operationId: "resumo",
    summary: "Summary",
    description:
      "Totals, values and send status of visits (over `data_hora`) and ledger entries (over `synced_at`), and the jobs of " +
      "the last 24 hours, which the filters do not touch. All units in one number, unless `estabelecimento_id` chooses: " +
      "side by side they are in /v1/relatorios/transacoes-por-estabelecimento.",
    read: resumo,
  }),
  readRoute({
    path: "/transacoes-por-profissional",
    request: { query: ReportFilters },
    answer: json(TransacoesPorProfissional, "The report"),
    operationId: "transacoesPorProfissional",
    summary: "Visits by professional",
    description:
      "One row per professional and business unit, highest `valor_total` first. A visit shared by two professionals counts " +
      "in full for both, so rows must not be added up; visits without any identified professional form the row with a null " +
      "professional.",
    read: transacoesPorProfissional,
  }),
  readRoute({
    path: "/transacoes-por-forma-pagamento",
    request: { query: ReportFilters },
    answer: json(TransacoesPorFormaPagamento, "The report"),
    operationId: "transacoesPorFormaPagamento",
    summary: "Visits by payment form",
    description:
      "One row per `forma_pagamento_principal`, visits without one included, highest `valor_total` first, with the fee. Two " +
      "ranges are two calls: what grew is their difference.",
    read: transacoesPorFormaPagamento,
  }),
  readRoute({
    path: "/transacoes-por-periodo",
    request: { query: PeriodFilters },
    answer: json(TransacoesPorPeriodo, "The report"),
    operationId: "transacoesPorPeriodo",
    summary: "Visits over time",
    description:
      "Takings and visits by day or month: one row per day or month in Brasília, in their order, from the range's first to its last, those without visits " +
      "included. Where an end of the range is not given, the first or last visit that matches stands in for it. A period " +
      "that the range cuts counts only what lies in the range. The average ticket is `valor_total` / `total_transacoes`.",
    read: transacoesPorPeriodo,
  }),
  readRoute({
    path: "/transacoes-por-estabelecimento",
    request: { query: ReportFilters },
    answer: json(TransacoesPorEstabelecimento, "The report"),
    operationId: "transacoesPorEstabelecimento",
    summary: "Visits by business unit",
    description:
      "Business units side by side: one row per unit that has visits, registered or not, highest `valor_total` first, with " +
      "what was not yet sent to the ERP and its worth. Stores have no visits: what they sold is in " +
      "/v1/relatorios/vendas-por-produto with `origem=loja`.",
    read: transacoesPorEstabelecimento,
  }),
  readRoute({
    path: "/nao-mapeados",
    request: { query: ReportFilters },
    answer: json(NaoMapeados, "The report"),
    operationId: "naoMapeados",
    summary: "What is not mapped to the ERP",
    description:
      "Professionals without a cost centre in the ERP, with the visits they took part in, and active business units " +
      "without one, which the filters do not touch. A visit shared by two professionals counts in full for both.",
    read: naoMapeados,
  }),
  readRoute({
    path: "/vendas-por-produto",
    request: { query: VendasPorProdutoFilters },
    answer: json(VendasPorProduto, "The report"),
    operationId: "vendasPorProduto",
    summary: "Sales by product",
    description:
      "Product sales lines added up: one row per pair of `produto_id` and `produto_nome`, highest `valor_total` first, as " +
      "many as `limite`. What professionals took (`Descontar do Profissional`) is no sale to a customer and stands in " +
      "fields of its own. Do not add what salons sold (`origem=salao`) to sums of visits: those lines are in the visits' " +
      "totals. Lines of stores belong to no visit.",
    read: vendasPorProduto,
  }),
  readRoute({
    path: "/pagamentos-por-conta",
    request: { query: PagamentosPorContaFilters },
    answer: json(PagamentosPorConta, "The report"),
    operationId: "pagamentosPorConta",
    summary: "ERP payments by account",
    description:
      "ERP payments added up: one row per day or month and `nome_conta_classificacao` that has any, in the order of time, " +
      "highest `valor_total` first. What is due in the days to come is asked with `data_inicio` and `data_fim` around " +
      "them, by `situacao=1`, by cost centre if need be; what was paid, with `data=pagamento`. Nothing here is part of " +
      "the visits' takings.",
    read: pagamentosPorConta,
  }),
  readRoute({
    path: "/painel",
    request: { query: PainelFilters },
    answer: json(Painel, "The report"),
    operationId: "painel",
    summary: "All that one screen shows",
    description:
      "Six reports of one moment in one answer: the summary, visits over time, by payment form, by professional and by " +
      "business unit, and sales by product. Each is what its own report answers; of visits by professional and sales by " +
      "product the first ten rows. For one of them ask that report.",
    read: painel,
  }),
]);
