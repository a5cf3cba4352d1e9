import { z } from "@hono/zod-openapi";
import { pageOf, paging } from "../../http/pages.ts";
import { dateRange, oneOf, queryOf } from "../../http/params.ts";
import { instant, reais, record, string } from "../fields.ts";
import { unit } from "../parameters.ts";
import { ORIGENS } from "./table.ts";

export const VendaProduto = record("VendaProduto", {
  origem: z
    .enum(ORIGENS)
    .openapi({ description: "Which of the two data origins the line came from", example: "loja" }),
  transacao_id: string("V1"),
  estabelecimento_id: string("201"),
  unidade_nome: string("Loja Centro", "Name of the business unit; `null` if it is not registered").nullable(),
  data_hora: instant().nullable(),
  cliente_id: string("C1").nullable(),
  cliente_nome: string("Bruna Barbosa").nullable(),
  produto_id: string("P1").nullable(),
  produto_nome: string("Shampoo Suave").nullable(),
  quantidade: string("2", "Numeric text, as stored").nullable(),
  valor_unitario: reais("49.90").nullable(),
  valor_total: reais("99.80").nullable().openapi({
    description:
      "Reais, numeric text with two decimals. Lines of salons are part of their visit's `total`: do not add the two.",
  }),
  profissional_id: string("5001", "Who made the sale; often `null`").nullable(),
  forma_pagamento: string(
    "Pix",
    "First payment method of the transaction. `Descontar do Profissional` marks a product taken by the " +
      "professional, not a sale to a customer.",
  ).nullable(),
});

export const VendaProdutoPage = pageOf(VendaProduto).openapi("VendaProdutoPage");

export const ListVendasProduto = queryOf({
  ...paging,
  estabelecimento_id: unit("lines"),
  ...dateRange("data_hora", "; lines without a date fall out"),
  origem: oneOf(ORIGENS, "Only lines of salons or only of stores; both when left out.").optional(),
});
