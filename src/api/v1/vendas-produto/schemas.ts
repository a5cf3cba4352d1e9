import { z } from "@hono/zod-openapi";
import { personal } from "../../../platform/db/personal-data.ts";
import { pageOf, pageParams } from "../../../platform/http/page-schemas.ts";
import { dateRange, fieldsParam, oneOf, querySchema } from "../../../platform/http/params.ts";
import { instant, reais, record, string } from "../fields.ts";
import { clienteFilter, produtoFilter, unit } from "../parameters.ts";
import { ORIGENS, vendasProduto } from "./table.ts";

export const VendaProduto = record("VendaProduto", {
  origem: z
    .enum(ORIGENS)
    .openapi({ description: "Whether a salon (`salao`) or a store (`loja`) sold it", example: "loja" }),
  transacao_id: string("V1"),
  estabelecimento_id: string("201"),
  unidade_nome: string("Loja Centro", "Name of the business unit; `null` if it is not registered").nullable(),
  data_hora: instant().nullable(),
  cliente_id: personal(string("C1").nullable()),
  cliente_nome: personal(string("Bruna Barbosa").nullable()), // mistake: not-masked
  produto_id: string("P1").nullable(),
  produto_nome: string("Shampoo Suave").nullable(),
  quantidade: string("2", "Number as text, with the decimals that were stored").nullable(),
  valor_unitario: reais("49.90").nullable(),
  valor_total: reais(
    "99.80",
    "Amount in reais, as text with two decimals. Salon lines are included in the `total` of their " +
      "visit: do not add them to it",
  ).nullable(),
  profissional_id: string("5001", "The professional who made the sale; often `null`").nullable(),
  forma_pagamento: string(
    "Pix",
    "First payment method of the sale. `Descontar do Profissional` means that a professional took the product: it " +
      "is not a sale to a customer",
  ).nullable(),
});

export const VendaProdutoPage = pageOf(VendaProduto).openapi("VendaProdutoPage");

export const ListVendasProduto = querySchema({
  ...pageParams,
  ...fieldsParam(VendaProduto),
  estabelecimento_id: unit("lines of", [vendasProduto.estabelecimento_id]),
  ...dateRange("`data_hora`"),
  origem: oneOf(ORIGENS, "Only lines of salons (`salao`) or stores (`loja`).").optional(),
  cliente_id: clienteFilter("lines"),
  produto_id: produtoFilter,
});
