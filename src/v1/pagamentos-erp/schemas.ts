import { cursorPaging, pageOrCursorOf } from "../../http/pages.ts";
import { dateRange, queryOf, text } from "../../http/params.ts";
import { boolean, day, instant, int, payload, reais, record, string, synced } from "../fields.ts";
import { paymentFilters } from "../parameters.ts";

export const PagamentoErp = record("PagamentoErp", {
  id: int(1, "Cursor key; not the path id, which is `erp_id`"),
  erp_id: int(900003, "Identifier in the ERP; the path id"),
  id_centro_custo: string("7001", "Cost centre").nullable(),
  situacao: int(2, "1 = pending, 2 = paid"),
  pago: boolean(true, "True exactly when `situacao` is 2"),
  nome_conta_classificacao: string("Aluguel").nullable(),
  id_plano_conta_classificacao: int(307).nullable(),
  valor: reais("4500.00").nullable(),
  data_vencimento: day().nullable(),
  data_pagamento: day().nullable(),
  descricao: string("Aluguel ref. 11/2026").nullable(),
  raw_data: payload("The complete object returned by the ERP, digit for digit", { Id: 900003, Situacao: 2 }),
  synced_at: synced(),
  updated_at: instant(),
});

export const PagamentoErpPage = pageOrCursorOf(PagamentoErp).openapi("PagamentoErpPage");

export const ListPagamentosErp = queryOf({
  ...cursorPaging,
  ...dateRange(
    "data_vencimento",
    ", taken as a calendar date in Brasília; payments without a due date fall out",
  ),
  ...paymentFilters,
  nome_conta_classificacao: text({
    max: 100,
    example: "Aluguel",
    description:
      "Only payments of the account classification with exactly this name, case and accents included. " +
      "GET /v1/relatorios/pagamentos-por-conta lists the names.",
  }).optional(),
});
