import { z } from "@hono/zod-openapi";
import { dateRange, querySchema } from "../../../platform/http/params.ts";
import { Estabelecimento } from "../estabelecimentos/schemas.ts";
import { record, string } from "../fields.ts";
import { lancamentos } from "../lancamentos/table.ts";
import { unit } from "../parameters.ts";
import { transacoes } from "../transacoes/table.ts";
import { comparableReport, comparison } from "./comparison.ts";
import { amount, count, reportOf, rowLimit } from "./fields.ts";

export const Resumo = comparableReport("Resumo", {
  transacoes: z.object({
    total: count("Number of visits", 100),
    valor_total: amount("Sum of `total` of these visits, in reais", 12340.5),
    enviadas_erp: count("Number of visits sent to the ERP", 90),
    pendentes_erp: count("Number of visits not yet sent to the ERP", 10),
  }),
  lancamentos: z.object({ total: count("Number of ledger entries, by `synced_at`", 40) }),
  jobs_ultimas_24h: z.object({
    concluidos: count("Runs completed in the last 24 hours, regardless of the filters", 70),
    falhados: count("Runs failed in the last 24 hours, regardless of the filters", 2),
  }),
});
export type Resumo = z.output<typeof Resumo>;

export const TransacaoPorProfissional = record("TransacaoPorProfissional", {
  profissional: string(
    "Ana Almeida",
    "Name; `null` if no professional has this id, and for visits that name no professional",
  ).nullable(),
  profissional_salon_id: string(
    "5001",
    "Id in the salon system; `null` for visits that name no professional",
  ).nullable(),
  estabelecimento_id: string("101"),
  total_transacoes: count("Number of visits of the professional; each visit counts once", 25),
  valor_total: amount(
    "Sum of `total` of these visits, in reais. A visit of two professionals counts in full for each, so " +
      "do not add up rows",
    3100.5,
  ),
});

export const TransacoesPorProfissional = reportOf("TransacoesPorProfissional", TransacaoPorProfissional);
export type TransacoesPorProfissional = z.output<typeof TransacoesPorProfissional>;

export const TransacaoPorFormaPagamento = record("TransacaoPorFormaPagamento", {
  forma_pagamento: string("Cartão de Crédito", "`null` for visits without a payment method").nullable(),
  total_transacoes: count("Number of visits", 30),
  valor_total: amount("Sum of `total` of these visits, in reais", 3702.6),
  ticket_medio: amount("`valor_total` / `total_transacoes`, rounded to two decimals", 123.42),
  taxa_cobrada_profissional: z.number().nullable().openapi({
    description: "Card fee as a fraction: 0.0299 is 2.99 percent. `null` if the payment method has no fee",
    example: 0.0299,
  }),
});

export const TransacoesPorFormaPagamento = reportOf(
  "TransacoesPorFormaPagamento",
  TransacaoPorFormaPagamento,
);
export type TransacoesPorFormaPagamento = z.output<typeof TransacoesPorFormaPagamento>;

export const ReportFilters = querySchema({
  ...dateRange("`data_hora`"),
  estabelecimento_id: unit("visits of", [transacoes.estabelecimento_id]),
});
export type ReportFilters = z.output<typeof ReportFilters>;

export const TransacoesPorProfissionalFilters = querySchema({
  ...ReportFilters.shape,
  limite: rowLimit(500, 100).optional(),
});
export type TransacoesPorProfissionalFilters = z.output<typeof TransacoesPorProfissionalFilters>;

export const ResumoFilters = querySchema({
  ...dateRange("`data_hora` (ledger entries: `synced_at`)"),
  estabelecimento_id: unit("visits and ledger entries of", [
    transacoes.estabelecimento_id,
    lancamentos.estabelecimento_id,
  ]),
  ...comparison,
});

export const NaoMapeados = record("NaoMapeados", {
  profissionais: z.array(TransacaoPorProfissional).openapi({
    description:
      "Rows of the report by professional whose professional is not registered or has no `erp_centro_custo_id`, " +
      "including the rows of visits that name no professional",
  }),
  estabelecimentos: z.array(Estabelecimento).openapi({
    description: "Active business units without `erp_centro_custo_id`, by name, regardless of the filters",
  }),
});
export type NaoMapeados = z.output<typeof NaoMapeados>;
