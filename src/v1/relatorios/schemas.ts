import { z } from "@hono/zod-openapi";
import { dateRange, integer, oneOf, queryOf, withDefault } from "../../http/params.ts";
import { Estabelecimento } from "../estabelecimentos/schemas.ts";
import { day, record, string } from "../fields.ts";
import { lancamentos } from "../lancamentos/table.ts";
import { paymentFilters, unit } from "../parameters.ts";
import { transacoes } from "../transacoes/table.ts";
import { ORIGENS, vendasProduto } from "../vendas-produto/table.ts";
import { comparableReport, comparison } from "./comparison.ts";

const reportOf = <const Row extends z.ZodType>(name: string, row: Row) =>
  record(name, { data: z.array(row) });
const count = (description: string, example: number) => z.int().openapi({ description, example });
const amount = (description: string, example: number) => z.number().openapi({ description, example });

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
    "Sum of `total` of these visits, in reais. A visit of two professionals counts in full for each, so do not add up rows",
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

export const ReportFilters = queryOf({
  ...dateRange("data_hora"),
  estabelecimento_id: unit("visits", [transacoes.estabelecimento_id]),
});
export type ReportFilters = z.output<typeof ReportFilters>;

export const ResumoFilters = queryOf({
  ...dateRange("data_hora", ". Ledger entries are filtered by `synced_at` instead"),
  estabelecimento_id: unit("visits and ledger entries", [
    transacoes.estabelecimento_id,
    lancamentos.estabelecimento_id,
  ]),
  ...comparison,
});

export const EstabelecimentoFilters = queryOf({
  ...dateRange("data_hora"),
  estabelecimento_id: unit("visits", [transacoes.estabelecimento_id]),
  ...comparison,
});

const sentCount = count("Number of these visits sent to the ERP", 90);
const pendingCount = count("Number of these visits not yet sent to the ERP", 10);

export const TransacaoPorPeriodo = record("TransacaoPorPeriodo", {
  inicio: day("2026-11-01").openapi({ description: "First day of the period, in Brasília" }),
  total_transacoes: count("Number of visits in the period and in the range; 0 if there are none", 100),
  valor_total: amount("Sum of `total` of these visits, in reais", 12340.5),
  enviadas_erp: sentCount,
  pendentes_erp: pendingCount,
});

export const TransacoesPorPeriodo = comparableReport("TransacoesPorPeriodo", {
  data: z.array(TransacaoPorPeriodo),
});
export type TransacoesPorPeriodo = z.output<typeof TransacoesPorPeriodo>;

export const TransacaoPorEstabelecimento = record("TransacaoPorEstabelecimento", {
  estabelecimento_id: string("101"),
  nome: string("Salão Jardins", "Name of the business unit; `null` if it is not registered").nullable(),
  total_transacoes: count("Number of visits", 100),
  valor_total: amount("Sum of `total` of these visits, in reais", 12340.5),
  ticket_medio: amount("`valor_total` / `total_transacoes`, rounded to two decimals", 123.41),
  enviadas_erp: sentCount,
  pendentes_erp: pendingCount,
  valor_pendente: amount("Sum of `total` of the visits not yet sent to the ERP, in reais", 1200),
});

export const TransacoesPorEstabelecimento = comparableReport("TransacoesPorEstabelecimento", {
  data: z.array(TransacaoPorEstabelecimento),
});
export type TransacoesPorEstabelecimento = z.output<typeof TransacoesPorEstabelecimento>;

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

/** @param limit completes "More than …" */
const granularity = (limit: string) =>
  withDefault(
    oneOf(
      ["dia", "mes"],
      `Length of a period: day (\`dia\`) or month (\`mes\`), in Brasília. More than ${limit} give a 400.`,
    ),
    "mes",
  );
const periods = granularity("1,100 periods");

export const PeriodFilters = queryOf({
  ...dateRange("data_hora"),
  estabelecimento_id: unit("visits", [transacoes.estabelecimento_id]),
  granularidade: periods,
  ...comparison,
});
export type PeriodFilters = z.output<typeof PeriodFilters>;

export const VendaPorProduto = record("VendaPorProduto", {
  produto_id: string(
    "P1",
    "First 200 characters of the product id; `null` for lines without an id",
  ).nullable(),
  produto_nome: string(
    "Shampoo Suave",
    "First 200 characters of the name; `null` for lines without a name. A product sold under two names has two rows",
  ).nullable(),
  quantidade: amount("Units sold to customers, not rounded. A line without a quantity counts as 0", 12.5),
  valor_total: amount("Sum of `valor_total` of these sales, in reais", 1249.9),
  quantidade_profissional: amount(
    "Units taken by professionals (`forma_pagamento` is `Descontar do Profissional`); not included in `quantidade`",
    2,
  ),
  valor_profissional: amount("Value of those units in reais; not included in `valor_total`", 99.8),
});

export const VendasPorProduto = reportOf("VendasPorProduto", VendaPorProduto);
export type VendasPorProduto = z.output<typeof VendasPorProduto>;

export const VendasPorProdutoFilters = queryOf({
  ...dateRange("data_hora", ". Lines without a date are omitted"),
  estabelecimento_id: unit("lines", [vendasProduto.estabelecimento_id]),
  origem: oneOf(ORIGENS, "Only lines of salons (`salao`) or only lines of stores (`loja`).").optional(),
  limite: withDefault(
    integer({
      min: 1,
      max: 200,
      example: 50,
      description: "Maximum number of rows, highest `valor_total` first.",
    }),
    50,
  ),
});
export type VendasPorProdutoFilters = z.output<typeof VendasPorProdutoFilters>;

export const Painel = comparableReport("Painel", {
  resumo: Resumo,
  por_periodo: TransacoesPorPeriodo,
  por_forma_pagamento: TransacoesPorFormaPagamento,
  por_profissional: TransacoesPorProfissional,
  por_estabelecimento: TransacoesPorEstabelecimento,
  vendas_por_produto: VendasPorProduto,
}).openapi({
  description:
    "Six reports from one snapshot. `por_profissional` and `vendas_por_produto` have only the first ten rows",
});
export type Painel = z.output<typeof Painel>;

export const PainelFilters = queryOf({
  ...dateRange("data_hora", ". Ledger entries are filtered by `synced_at` instead"),
  estabelecimento_id: unit("visits, ledger entries and sales lines", [
    transacoes.estabelecimento_id,
    lancamentos.estabelecimento_id,
    vendasProduto.estabelecimento_id,
  ]),
  granularidade: periods,
  ...comparison,
});

export const PagamentoPorConta = record("PagamentoPorConta", {
  inicio: day("2026-11-01").openapi({
    description: "First day of the period. At the ends of the range, a period counts only payments within it",
  }),
  nome_conta_classificacao: string(
    "Aluguel",
    "Account classification; `null` for payments without one. `/v1/pagamentos-erp` can filter by it if it has at most 100 characters",
  ).nullable(),
  total_pagamentos: count("Number of payments, paid and pending", 12),
  valor_total: amount(
    "Sum of `valor` of these payments, in reais. A payment without `valor` counts as 0",
    54000,
  ),
  pendentes: count("Number of these payments that are pending", 3),
  valor_pendente: amount(
    "Sum of `valor` of the pending payments, in reais; included in `valor_total`",
    13500,
  ),
});

export const PagamentosPorConta = reportOf("PagamentosPorConta", PagamentoPorConta);
export type PagamentosPorConta = z.output<typeof PagamentosPorConta>;

export const PagamentosPorContaFilters = queryOf({
  data: withDefault(
    oneOf(
      ["vencimento", "pagamento"],
      "Which date the range and the periods use: `vencimento` is the due date (`data_vencimento`), `pagamento` is the " +
        "payment date (`data_pagamento`). Payments without that date are omitted.",
    ),
    "vencimento",
  ),
  ...dateRange(
    "data_vencimento",
    ". With `data=pagamento`, the range is over `data_pagamento`. This time is converted to a date in Brasília",
    true,
  ),
  ...paymentFilters,
  granularidade: granularity("5,000 rows (one per period and account)"),
});
export type PagamentosPorContaFilters = z.output<typeof PagamentosPorContaFilters>;
