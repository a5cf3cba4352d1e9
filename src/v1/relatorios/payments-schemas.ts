import type { z } from "@hono/zod-openapi";
import { dateRange, oneOf, queryOf, withDefault } from "../../http/params.ts";
import { day, record, string } from "../fields.ts";
import { paymentFilters } from "../parameters.ts";
import { amount, count, granularity, reportOf } from "./fields.ts";

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
  ),
  ...paymentFilters,
  granularidade: granularity("5,000 rows (one per period and account)"),
});
export type PagamentosPorContaFilters = z.output<typeof PagamentosPorContaFilters>;

export const PagamentoPorCentroCusto = record("PagamentoPorCentroCusto", {
  id_centro_custo: string(
    "7001",
    "First 200 characters of the cost centre; `null` for payments without one. That of a business unit is its `erp_centro_custo_id`",
  ).nullable(),
  total_pagamentos: count("Number of payments, paid and pending", 40),
  valor_total: amount("Sum of `valor` of these payments, in reais", 98000),
  pendentes: count("Number of these payments that are pending", 9),
  valor_pendente: amount("Sum of `valor` of the pending payments, in reais", 21000.5),
  vencidos: count("Number of the pending payments that were due before today, in Brasília", 2),
  valor_vencido: amount("Sum of `valor` of the overdue payments, in reais", 4300),
  sem_valor: count("Number of payments without `valor`; they count as 0 in the sums", 1),
});

export const PagamentosPorCentroCusto = reportOf("PagamentosPorCentroCusto", PagamentoPorCentroCusto);
export type PagamentosPorCentroCusto = z.output<typeof PagamentosPorCentroCusto>;

export const PagamentosPorCentroCustoFilters = queryOf({
  ...dateRange(
    "data_vencimento",
    ". This time is converted to a date in Brasília. With a range, payments without a due date are omitted",
  ),
  situacao: paymentFilters.situacao,
});
export type PagamentosPorCentroCustoFilters = z.output<typeof PagamentosPorCentroCustoFilters>;
