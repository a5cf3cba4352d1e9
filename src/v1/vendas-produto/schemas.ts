import { z } from "@hono/zod-openapi";
import { pageOf, paging } from "../../http/pages.ts";
import { dateRange, oneOf, query } from "../../http/params.ts";
import { instant, reais } from "../fields.ts";
import { unit } from "../parameters.ts";
import { ORIGENS } from "./table.ts";

export const VendaProduto = z
  .object({
    origem: z
      .enum(ORIGENS)
      .openapi({ description: "Which of the two data origins the line came from", example: "loja" }),
    transacao_id: z.string().openapi({ example: "V1" }),
    estabelecimento_id: z.string().openapi({ example: "201" }),
    unidade_nome: z.string().nullable().openapi({
      description: "Name of the business unit; `null` if it is not registered",
      example: "Loja Centro",
    }),
    data_hora: instant().nullable(),
    cliente_id: z.string().nullable().openapi({ example: "C1" }),
    cliente_nome: z.string().nullable().openapi({ example: "Bruna Barbosa" }),
    produto_id: z.string().nullable().openapi({ example: "P1" }),
    produto_nome: z.string().nullable().openapi({ example: "Shampoo Suave" }),
    quantidade: z.string().nullable().openapi({ description: "Numeric text, as stored", example: "2" }),
    valor_unitario: reais("49.90").nullable(),
    valor_total: reais("99.80").nullable().openapi({
      description:
        "Reais, numeric text with two decimals. Lines of salons are part of their visit's `total`: do not add the two.",
    }),
    profissional_id: z
      .string()
      .nullable()
      .openapi({ description: "Who made the sale; often `null`", example: "5001" }),
    forma_pagamento: z
      .string()
      .nullable()
      .openapi({
        description:
          "First payment method of the transaction. `Descontar do Profissional` marks a product taken by the " +
          "professional, not a sale to a customer.",
        example: "Pix",
      }),
  })
  .openapi("VendaProduto");

export const VendaProdutoPage = pageOf(VendaProduto).openapi("VendaProdutoPage");
export type VendaProdutoPage = z.output<typeof VendaProdutoPage>;

export const ListVendasProduto = query({
  ...paging,
  estabelecimento_id: unit("lines"),
  ...dateRange("data_hora", "; lines without a date fall out"),
  origem: oneOf(ORIGENS, "Only lines of salons or only of stores; both when left out.").optional(),
});
export type ListVendasProduto = z.output<typeof ListVendasProduto>;
