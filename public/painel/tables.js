// Draws the tables of payment methods and products.

import { fill, toggleCard } from "./card.js";
import { fee, money, number } from "./format.js";
import { listSearch, MAX_ID_LENGTH } from "./links.js";
import { isStore } from "./picture.js";
import { productsPath, rangeOf } from "./ranges.js";
import { reportPath } from "./reports.js";
import { bar, link, named, nameOr, table } from "./table.js";
import { NOT_LOADED } from "./words.js";

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./answers.js").Picture} Picture
 * @typedef {import("./download.js").Offer} Offer
 */

/** @param {{ valor_total: number }[]} rows */
export const maxOf = (rows) => Math.max(0, ...rows.map((row) => row.valor_total));

/** @param {Picture} picture @param {Offer} offer */
export const showForms = (picture, offer) => {
  const rows = picture.panel.por_forma_pagamento.data;
  fill(
    "forms",
    table(
      "Atendimentos por forma de pagamento",
      ["Forma", "Valor dos atendimentos", "Atendimentos", "Ticket médio", "Taxa cobrada do profissional"],
      rows.map((row) => [
        named(nameOr(row.forma_pagamento, "Forma não informada"), {
          meter: bar(row.valor_total, maxOf(rows)),
          isMissing: !row.forma_pagamento?.trim(),
        }),
        money(row.valor_total),
        number(row.total_transacoes),
        money(row.ticket_medio),
        fee(row.taxa_cobrada_profissional),
      ]),
      { printed: 4 },
    ),
  );
  toggleCard("forms", !isStore(picture));
  offer("forms", reportPath("transacoes-por-forma-pagamento", rangeOf(picture.view)));
};

/** @param {{ produto_id: string | null, produto_nome: string | null }} row */
const productOf = ({ produto_nome, produto_id: id }) =>
  nameOr(produto_nome, id ? `Produto sem nome (cód. ${id})` : "Produto não identificado");

/** The list of a product's sales. @param {View} view @param {string | null} id @param {string} name */
const salesLink = (view, id, name) =>
  id && id.length <= MAX_ID_LENGTH
    ? link(listSearch(view, { name: "vendas", product: id }), "Ver", `Ver vendas: ${name.slice(0, 80)}`)
    : "—";

/** @param {Picture} picture @param {Offer} offer */
export const showProducts = ({ view, details }, offer) => {
  const rows = details.products?.data ?? [];
  fill(
    "products",
    table(
      "Os dez produtos mais vendidos",
      ["Produto", "Valor vendido", "Vendidos", "Retirados por profissionais", "Valor retirado", "Registros"],
      rows.map((row) => [
        named(productOf(row), {
          meter: bar(row.valor_total, maxOf(rows)),
          isMissing: !row.produto_nome?.trim(),
        }),
        money(row.valor_total),
        number(row.quantidade),
        number(row.quantidade_profissional),
        money(row.valor_profissional),
        salesLink(view, row.produto_id, productOf(row)),
      ]),
      { printed: 4, ...(details.products ? {} : { empty: NOT_LOADED }) },
    ),
  );
  offer("products", productsPath(view, "200"), "vendas-por-produto");
};
