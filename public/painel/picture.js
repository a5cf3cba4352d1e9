// What a picture of a view says about itself.
import { comparisonOf } from "./ranges.js";
import { isFuture } from "./view.js";

/**
 * @typedef {import("../../src/v1/relatorios/schemas.ts").Painel} Body
 * @typedef {import("./reports.js").VisitMeasures} VisitMeasures
 * @typedef {import("./reports.js").Report<{ dia?: string, mes?: string }, VisitMeasures>} Periods by day, or by month
 * @typedef {import("./reports.js").Report<import("./reports.js").OfUnit, VisitMeasures>} Units
 * @typedef {Pick<Body, "resumo" | "por_forma_pagamento"> & { por_periodo: Periods, por_estabelecimento: Units }} Panel
 * @typedef {import("./answers.js").Picture} Picture
 */

/**
 * Whether the data begin before the earlier period: otherwise, a percentage would mislead.
 * @param {Picture} picture
 * @param {"visits" | "sales"} kind the data that the figure is of
 * @param {string} [unit] one unit of several
 */
export const isComparable = ({ view, details: { known } }, kind, unit) => {
  if (known === undefined || isFuture(view) || !comparisonOf(view)) return false;
  return unit === undefined ? known[kind].size > 0 : known[kind].has(unit);
};

/** Whether the figures include sales of stores. @param {Picture} picture */
export const hasStores = ({ details: { sales } }) =>
  // Rows with no lines are of the earlier period only.
  sales?.lines.data.some(({ origem, linhas }) => origem === "loja" && linhas > 0) ?? false;

/** Whether the view is of a store: a unit with sales and without visits. @param {Picture} picture */
export const isStore = (picture) => {
  const { view, panel, details } = picture;
  return (
    view.unit !== "" &&
    panel.resumo.transacoes.total === 0 &&
    !details.known?.visits.has(view.unit) &&
    ((details.known?.sales.has(view.unit) ?? false) || hasStores(picture))
  );
};
