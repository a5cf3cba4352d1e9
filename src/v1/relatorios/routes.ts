import { createRoute, type z } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
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

/** What every report has in common. */
const report = <const Path extends string, Filters extends z.ZodObject, Answer extends z.ZodType>(
  path: Path,
  filters: Filters,
  answer: Answer,
  said: { operationId: string; summary: string; description: string },
) =>
  createRoute({
    ...bearer({ query: filters }),
    method: "get",
    path,
    tags: ["relatorios"],
    ...said,
    responses: { 200: json(answer, "The report"), ...errors(400, 401, 405, 429, 503) },
  });

export const relatorios = createRouter()
  .openapi(
    report("/resumo", ResumoFilters, Resumo, {
      operationId: "resumo",
      summary: "Summary",
      description:
        "Totals, values and send status of visits (over `data_hora`) and ledger entries (over `synced_at`), and the jobs of " +
        "the last 24 hours, which the filters do not touch.",
    }),
    async (c) => jsonText(c, await resumo(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    report("/transacoes-por-profissional", ReportFilters, TransacoesPorProfissional, {
      operationId: "transacoesPorProfissional",
      summary: "Visits by professional",
      description:
        "One row per professional and business unit, highest `valor_total` first. A visit shared by two professionals counts " +
        "in full for both; visits without any identified professional form the row with a null professional.",
    }),
    async (c) => jsonText(c, await transacoesPorProfissional(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    report("/transacoes-por-forma-pagamento", ReportFilters, TransacoesPorFormaPagamento, {
      operationId: "transacoesPorFormaPagamento",
      summary: "Visits by payment form",
      description:
        "One row per `forma_pagamento_principal`, visits without one included, highest `valor_total` first.",
    }),
    async (c) => jsonText(c, await transacoesPorFormaPagamento(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    report("/transacoes-por-periodo", PeriodFilters, TransacoesPorPeriodo, {
      operationId: "transacoesPorPeriodo",
      summary: "Visits over time",
      description:
        "One row per day or month in Brasília, in their order, from the range's first to its last, those without visits " +
        "included. Where an end of the range is not given, the first or last visit that matches stands in for it. A period " +
        "that the range cuts counts only what lies in the range.",
    }),
    async (c) => jsonText(c, await transacoesPorPeriodo(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    report("/transacoes-por-estabelecimento", ReportFilters, TransacoesPorEstabelecimento, {
      operationId: "transacoesPorEstabelecimento",
      summary: "Visits by business unit",
      description:
        "One row per business unit that has visits, registered or not, highest `valor_total` first, with what was not yet " +
        "sent to the ERP.",
    }),
    async (c) => jsonText(c, await transacoesPorEstabelecimento(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    report("/nao-mapeados", ReportFilters, NaoMapeados, {
      operationId: "naoMapeados",
      summary: "What is not mapped to the ERP",
      description:
        "Professionals without a cost centre in the ERP, with the visits they took part in, and active business units " +
        "without one, which the filters do not touch. A visit shared by two professionals counts in full for both.",
    }),
    async (c) => jsonText(c, await naoMapeados(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    report("/vendas-por-produto", VendasPorProdutoFilters, VendasPorProduto, {
      operationId: "vendasPorProduto",
      summary: "Sales by product",
      description:
        "Product sales lines added up: one row per pair of `produto_id` and `produto_nome`, highest `valor_total` first, as " +
        "many as `limite`. What professionals took (`Descontar do Profissional`) is no sale to a customer and stands in " +
        "fields of its own. Do not add these sums to those of visits: a line belongs to a transaction that is counted there.",
    }),
    async (c) => jsonText(c, await vendasPorProduto(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    report("/pagamentos-por-conta", PagamentosPorContaFilters, PagamentosPorConta, {
      operationId: "pagamentosPorConta",
      summary: "ERP payments by account",
      description:
        "ERP payments added up: one row per day or month and `nome_conta_classificacao` that has any, in the order of time, " +
        "highest `valor_total` first. What is due in the days to come is asked with `data_inicio` and `data_fim` around " +
        "them, by `situacao=1`, by cost centre if need be; what was paid, with `data=pagamento`. Nothing here is part of " +
        "the visits' takings.",
    }),
    async (c) => jsonText(c, await pagamentosPorConta(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    report("/painel", PainelFilters, Painel, {
      operationId: "painel",
      summary: "All that one screen shows",
      description:
        "Six reports of one moment in one answer: the summary, visits over time, by payment form, by professional and by " +
        "business unit, and sales by product. Each is what its own path answers; of visits by professional and sales by " +
        "product the first ten rows.",
    }),
    async (c) => jsonText(c, await painel(c.var.db, c.req.valid("query"))),
  );
