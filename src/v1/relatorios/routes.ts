import { createRoute } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { pagamentosPorConta } from "./payments.ts";
import { resumo, transacoesPorFormaPagamento, transacoesPorProfissional } from "./queries.ts";
import { vendasPorProduto } from "./sales.ts";
import {
  PagamentosPorConta,
  PagamentosPorContaFilters,
  ReportFilters,
  Resumo,
  ResumoFilters,
  TransacoesPorFormaPagamento,
  TransacoesPorProfissional,
  VendasPorProduto,
  VendasPorProdutoFilters,
} from "./schemas.ts";

const tags = ["relatorios"];

export const relatorios = createRouter()
  .openapi(
    createRoute({
      ...bearer({ query: ResumoFilters }),
      method: "get",
      path: "/resumo",
      operationId: "resumo",
      tags,
      summary: "Summary",
      description:
        "Totals, values and send status of visits (over `data_hora`) and ledger entries (over `synced_at`), and the jobs of " +
        "the last 24 hours, which the filters do not touch.",
      responses: { 200: json(Resumo, "The report"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await resumo(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    createRoute({
      ...bearer({ query: ReportFilters }),
      method: "get",
      path: "/transacoes-por-profissional",
      operationId: "transacoesPorProfissional",
      tags,
      summary: "Visits by professional",
      description:
        "One row per professional and business unit, highest `valor_total` first. A visit shared by two professionals counts " +
        "in full for both; visits without any identified professional form the row with a null professional.",
      responses: { 200: json(TransacoesPorProfissional, "The report"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await transacoesPorProfissional(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    createRoute({
      ...bearer({ query: ReportFilters }),
      method: "get",
      path: "/transacoes-por-forma-pagamento",
      operationId: "transacoesPorFormaPagamento",
      tags,
      summary: "Visits by payment form",
      description:
        "One row per `forma_pagamento_principal`, visits without one included, highest `valor_total` first.",
      responses: { 200: json(TransacoesPorFormaPagamento, "The report"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await transacoesPorFormaPagamento(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    createRoute({
      ...bearer({ query: VendasPorProdutoFilters }),
      method: "get",
      path: "/vendas-por-produto",
      operationId: "vendasPorProduto",
      tags,
      summary: "Sales by product",
      description:
        "Product sales lines added up: one row per pair of `produto_id` and `produto_nome`, highest `valor_total` first, as " +
        "many as `limite`. What professionals took (`Descontar do Profissional`) is no sale to a customer and stands in " +
        "fields of its own. Do not add these sums to those of visits: a line belongs to a transaction that is counted there.",
      responses: { 200: json(VendasPorProduto, "The report"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await vendasPorProduto(c.var.db, c.req.valid("query"))),
  )
  .openapi(
    createRoute({
      ...bearer({ query: PagamentosPorContaFilters }),
      method: "get",
      path: "/pagamentos-por-conta",
      operationId: "pagamentosPorConta",
      tags,
      summary: "ERP payments by account",
      description:
        "ERP payments added up: one row per day or month and `nome_conta_classificacao` that has any, in the order of time, " +
        "highest `valor_total` first. What is due in the days to come is asked with `data_inicio` and `data_fim` around " +
        "them, by `situacao=1`, by cost centre if need be; what was paid, with `data=pagamento`. Nothing here is part of " +
        "the visits' takings.",
      responses: { 200: json(PagamentosPorConta, "The report"), ...errors(400, 401, 405, 429, 503) },
    }),
    async (c) => jsonText(c, await pagamentosPorConta(c.var.db, c.req.valid("query"))),
  );
