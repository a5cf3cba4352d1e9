import type { z } from "@hono/zod-openapi";
import { dateRange, oneOf, queryOf, withDefault } from "../../http/params.ts";
import { record, string } from "../fields.ts";
import { unit } from "../parameters.ts";
import { ORIGENS, vendasProduto } from "../vendas-produto/table.ts";
import { amount, reportOf, rowLimit } from "./fields.ts";

/** What customers bought, and what professionals took. */
const soldAndTaken = {
  quantidade: amount("Units sold to customers, not rounded. A line without a quantity counts as 0", 12.5),
  valor_total: amount("Sum of `valor_total` of these sales, in reais", 1249.9),
  quantidade_profissional: amount(
    "Units taken by professionals (`forma_pagamento` is `Descontar do Profissional`); not included in `quantidade`",
    2,
  ),
  valor_profissional: amount("Value of those units in reais; not included in `valor_total`", 99.8),
};

export const VendaPorProduto = record("VendaPorProduto", {
  produto_id: string(
    "P1",
    "First 200 characters of the product id; `null` for lines without an id",
  ).nullable(),
  produto_nome: string(
    "Shampoo Suave",
    "First 200 characters of the name; `null` for lines without a name. A product sold under two names has two rows",
  ).nullable(),
  ...soldAndTaken,
});

export const VendasPorProduto = reportOf("VendasPorProduto", VendaPorProduto);
export type VendasPorProduto = z.output<typeof VendasPorProduto>;

const salesFilters = {
  ...dateRange("data_hora", ". Lines without a date are omitted"),
  estabelecimento_id: unit("lines", [vendasProduto.estabelecimento_id]),
  origem: oneOf(ORIGENS, "Only lines of salons (`salao`) or only lines of stores (`loja`).").optional(),
};

export const VendasPorProdutoFilters = queryOf({
  ...salesFilters,
  limite: withDefault(rowLimit(200, 50), 50),
});
export type VendasPorProdutoFilters = z.output<typeof VendasPorProdutoFilters>;

export const VendaPorEstabelecimento = record("VendaPorEstabelecimento", {
  estabelecimento_id: string("201"),
  nome: string("Loja Centro", "Name of the business unit; `null` if it is not registered").nullable(),
  ...soldAndTaken,
});

export const VendasPorEstabelecimento = reportOf("VendasPorEstabelecimento", VendaPorEstabelecimento);
export type VendasPorEstabelecimento = z.output<typeof VendasPorEstabelecimento>;

export const VendasPorEstabelecimentoFilters = queryOf(salesFilters);
export type VendasPorEstabelecimentoFilters = z.output<typeof VendasPorEstabelecimentoFilters>;
