import { z } from "@hono/zod-openapi";
import { dateRange, integer, oneOf, preset, queryOf } from "../../http/params.ts";
import { Estabelecimento } from "../estabelecimentos/schemas.ts";
import { day, record, string } from "../fields.ts";
import { paymentFilters, unit } from "../parameters.ts";
import { ORIGENS } from "../vendas-produto/table.ts";

const reportOf = <const Row extends z.ZodType>(name: string, row: Row) =>
  record(name, { data: z.array(row) });
const count = (description: string, example: number) => z.int().openapi({ description, example });
const amount = (description: string, example: number) => z.number().openapi({ description, example });

export const Resumo = record("Resumo", {
  transacoes: z.object({
    total: count("Visits", 100),
    valor_total: amount("Sum of their `total`, in reais", 12340.5),
    enviadas_erp: count("Visits sent to the ERP", 90),
    pendentes_erp: count("Visits not yet sent to the ERP", 10),
  }),
  lancamentos: z.object({ total: count("Ledger entries, by `synced_at`", 40) }),
  jobs_ultimas_24h: z.object({
    concluidos: count("Jobs completed in the last 24 hours, whatever the filters", 70),
    falhados: count("Jobs failed in the last 24 hours, whatever the filters", 2),
  }),
});
export type Resumo = z.output<typeof Resumo>;

export const TransacaoPorProfissional = record("TransacaoPorProfissional", {
  profissional: string(
    "Ana Almeida",
    "`null` when the id is not mapped, and for visits without any identified professional",
  ).nullable(),
  profissional_salon_id: string("5001", "`null` for visits without any identified professional").nullable(),
  estabelecimento_id: string("101"),
  total_transacoes: count("Distinct visits the professional took part in", 25),
  valor_total: amount(
    "Sum of their `total`; a visit shared by two counts in full for both, so do not add up rows",
    3100.5,
  ),
});

export const TransacoesPorProfissional = reportOf("TransacoesPorProfissional", TransacaoPorProfissional);
export type TransacoesPorProfissional = z.output<typeof TransacoesPorProfissional>;

export const TransacaoPorFormaPagamento = record("TransacaoPorFormaPagamento", {
  forma_pagamento: string("Cartão de Crédito").nullable(),
  total_transacoes: count("Visits", 30),
  valor_total: amount("Sum of their `total`, in reais", 3702.6),
  ticket_medio: amount("`valor_total` / `total_transacoes`, two decimals", 123.42),
  taxa_cobrada_profissional: z.number().nullable().openapi({
    description: "Card fee as a decimal fraction: 0.0299 means 2.99 percent; `null` when the form has none",
    example: 0.0299,
  }),
});

export const TransacoesPorFormaPagamento = reportOf(
  "TransacoesPorFormaPagamento",
  TransacaoPorFormaPagamento,
);
export type TransacoesPorFormaPagamento = z.output<typeof TransacoesPorFormaPagamento>;

export const ReportFilters = queryOf({ ...dateRange("data_hora"), estabelecimento_id: unit("visits") });
export type ReportFilters = z.output<typeof ReportFilters>;

export const ResumoFilters = queryOf({
  ...dateRange("data_hora", " (ledger entries: whose `synced_at` is)"),
  estabelecimento_id: unit("visits and ledger entries"),
});

const sent = count("Of them, sent to the ERP", 90);
const pending = count("Of them, not yet sent to the ERP", 10);

export const TransacaoPorPeriodo = record("TransacaoPorPeriodo", {
  inicio: day("2026-11-01").openapi({ description: "First day of the period, in Brasília" }),
  total_transacoes: count("Visits of the period that lie in the range; 0 in one without any", 100),
  valor_total: amount("Sum of their `total`, in reais", 12340.5),
  enviadas_erp: sent,
  pendentes_erp: pending,
});

export const TransacoesPorPeriodo = reportOf("TransacoesPorPeriodo", TransacaoPorPeriodo);
export type TransacoesPorPeriodo = z.output<typeof TransacoesPorPeriodo>;

export const TransacaoPorEstabelecimento = record("TransacaoPorEstabelecimento", {
  estabelecimento_id: string("101"),
  nome: string("Salão Jardins", "Name of the business unit; `null` if it is not registered").nullable(),
  total_transacoes: count("Visits", 100),
  valor_total: amount("Sum of their `total`, in reais", 12340.5),
  ticket_medio: amount("`valor_total` / `total_transacoes`, two decimals", 123.41),
  enviadas_erp: sent,
  pendentes_erp: pending,
  valor_pendente: amount("Sum of `total` of those not yet sent to the ERP, in reais", 1200),
});

export const TransacoesPorEstabelecimento = reportOf(
  "TransacoesPorEstabelecimento",
  TransacaoPorEstabelecimento,
);
export type TransacoesPorEstabelecimento = z.output<typeof TransacoesPorEstabelecimento>;

export const NaoMapeados = record("NaoMapeados", {
  profissionais: z.array(TransacaoPorProfissional).openapi({
    description:
      "Rows of the report by professional whose professional is not registered or has no `erp_centro_custo_id`, those " +
      "without any identified professional included",
  }),
  estabelecimentos: z.array(Estabelecimento).openapi({
    description: "Active business units without `erp_centro_custo_id`, by name, whatever the filters",
  }),
});
export type NaoMapeados = z.output<typeof NaoMapeados>;

/** @param most the size limit, as a sentence without its full stop */
const granularity = (most: string) =>
  preset(oneOf(["dia", "mes"], `Periods are days or months in Brasília. ${most}; more are a 400.`), "mes");
const periods = granularity("They may be 1,100 at most");

export const PeriodFilters = queryOf({
  ...dateRange("data_hora"),
  estabelecimento_id: unit("visits"),
  granularidade: periods,
});
export type PeriodFilters = z.output<typeof PeriodFilters>;

export const VendaPorProduto = record("VendaPorProduto", {
  produto_id: string("P1", "First 200 characters; `null` for lines without a product id").nullable(),
  produto_nome: string(
    "Shampoo Suave",
    "First 200 characters; `null` for lines without a name. An id that was sold under two names has two rows.",
  ).nullable(),
  quantidade: amount("Units sold to customers, not rounded; a line without a quantity counts 0", 12.5),
  valor_total: amount("What customers paid for them: the sum of `valor_total`, in reais", 1249.9),
  quantidade_profissional: amount(
    "Units that professionals took for themselves (`forma_pagamento` is `Descontar do Profissional`); not in `quantidade`",
    2,
  ),
  valor_profissional: amount("The worth of those units, in reais; not in `valor_total`", 99.8),
});

export const VendasPorProduto = reportOf("VendasPorProduto", VendaPorProduto);
export type VendasPorProduto = z.output<typeof VendasPorProduto>;

export const VendasPorProdutoFilters = queryOf({
  ...dateRange("data_hora", "; lines without a date fall out"),
  estabelecimento_id: unit("lines"),
  origem: oneOf(ORIGENS, "Only lines of salons or only of stores; both when left out.").optional(),
  limite: preset(
    integer({
      min: 1,
      max: 200,
      example: 50,
      description: "How many products at most, the best-selling first.",
    }),
    50,
  ),
});
export type VendasPorProdutoFilters = z.output<typeof VendasPorProdutoFilters>;

export const Painel = z
  .object({
    resumo: Resumo,
    por_periodo: TransacoesPorPeriodo,
    por_forma_pagamento: TransacoesPorFormaPagamento,
    por_profissional: TransacoesPorProfissional,
    por_estabelecimento: TransacoesPorEstabelecimento,
    vendas_por_produto: VendasPorProduto,
  })
  .openapi("Painel", {
    description:
      "Each as its own report answers it, of one moment; of `por_profissional` and `vendas_por_produto` the first ten rows.",
  });
export type Painel = z.output<typeof Painel>;

export const PainelFilters = queryOf({
  ...dateRange("data_hora", " (ledger entries: whose `synced_at` is)"),
  estabelecimento_id: unit("visits, ledger entries and sales lines"),
  granularidade: periods,
});

export const PagamentoPorConta = record("PagamentoPorConta", {
  inicio: day("2026-11-01").openapi({
    description:
      "First day of the period. At the ends of a range, a period counts only what lies in the range.",
  }),
  nome_conta_classificacao: string(
    "Aluguel",
    "As `/v1/pagamentos-erp` takes it for a filter, up to 100 characters; `null` for payments without one",
  ).nullable(),
  total_pagamentos: count("Payments, paid and pending", 12),
  valor_total: amount("Sum of their `valor`, in reais; a payment without a value counts 0", 54000),
  pendentes: count("Of them, pending", 3),
  valor_pendente: amount("Sum of `valor` of the pending ones, in reais; part of `valor_total`", 13500),
});

export const PagamentosPorConta = reportOf("PagamentosPorConta", PagamentoPorConta);
export type PagamentosPorConta = z.output<typeof PagamentosPorConta>;

export const PagamentosPorContaFilters = queryOf({
  data: preset(
    oneOf(
      ["vencimento", "pagamento"],
      "Which date counts: when payments are due (`data_vencimento`) or when they were paid (`data_pagamento`). Payments " +
        "without that date fall out.",
    ),
    "vencimento",
  ),
  ...dateRange(
    "data_vencimento",
    " (with `data=pagamento`, whose `data_pagamento` is), taken as a calendar date in Brasília",
  ),
  ...paymentFilters,
  granularidade: granularity("Periods by accounts may be 5,000 rows at most"),
});
export type PagamentosPorContaFilters = z.output<typeof PagamentosPorContaFilters>;
