import { z } from "@hono/zod-openapi";
import { cursorPaging, pageOrCursorOf } from "../../http/pages.ts";
import { dateRange, oneOf, query, text } from "../../http/params.ts";
import { day, instant, payload, reais, synced } from "../fields.ts";

export const PagamentoErp = z
  .object({
    id: z.int().openapi({ description: "Cursor key; not the path id, which is `erp_id`", example: 1 }),
    erp_id: z.int().openapi({ description: "Identifier in the ERP; the path id", example: 900003 }),
    id_centro_custo: z.string().nullable().openapi({ description: "Cost centre", example: "7001" }),
    situacao: z.int().openapi({ description: "1 = pending, 2 = paid", example: 2 }),
    pago: z.boolean().openapi({ description: "True exactly when `situacao` is 2", example: true }),
    nome_conta_classificacao: z.string().nullable().openapi({ example: "Aluguel" }),
    id_plano_conta_classificacao: z.int().nullable().openapi({ example: 307 }),
    valor: reais("4500.00").nullable(),
    data_vencimento: day().nullable(),
    data_pagamento: day().nullable(),
    descricao: z.string().nullable().openapi({ example: "Aluguel ref. 11/2026" }),
    raw_data: payload("The complete object returned by the ERP, digit for digit", {
      Id: 900003,
      Situacao: 2,
    }),
    synced_at: synced(),
    updated_at: instant(),
  })
  .openapi("PagamentoErp");
export type PagamentoErp = z.output<typeof PagamentoErp>;

export const PagamentoErpPage = pageOrCursorOf(PagamentoErp).openapi("PagamentoErpPage");
export type PagamentoErpPage = z.output<typeof PagamentoErpPage>;

export const ListPagamentosErp = query({
  ...cursorPaging,
  ...dateRange(
    "data_vencimento",
    ", taken as a calendar date in Brasília; payments without a due date fall out",
  ),
  situacao: oneOf(["1", "2"], "1 = pending, 2 = paid.").optional(),
  id_centro_custo: text({
    max: 64,
    example: "7001",
    description: "Only payments of this cost centre.",
  }).optional(),
  nome_conta_classificacao: text({
    max: 100,
    example: "Aluguel",
    description:
      "Only payments of the account classification with exactly this name, case and accents included. " +
      "GET /v1/relatorios/pagamentos-por-conta lists the names.",
  }).optional(),
});
export type ListPagamentosErp = z.output<typeof ListPagamentosErp>;
