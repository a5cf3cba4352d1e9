// What a picture of a view says about itself.
import { earlierDays } from "./ranges.js";
import { isFuture } from "./view.js";

/**
 * @typedef {import("../../src/v1/relatorios/schemas.ts").Painel} Panel
 * @typedef {import("./answers.js").Picture} Picture
 */

/**
 * Whether the data begin before the earlier period: otherwise, a percentage would mislead.
 * @param {Picture} picture
 * @param {"visits" | "sales"} kind the data that the figure is of
 * @param {string} [unit] one unit of several
 */
export const isComparable = ({ view, details: { known } }, kind, unit) => {
  if (known === undefined || isFuture(view) || !earlierDays(view)) return false;
  return unit === undefined ? known[kind].size > 0 : known[kind].has(unit);
};

/** Whether the view is of a store: a unit with sales and without visits. @param {Picture} picture */
export const isStore = ({ view, panel, details: { sales, known } }) =>
  view.unit !== "" &&
  panel.resumo.transacoes.total === 0 &&
  !known?.visits.has(view.unit) &&
  ((known?.sales.has(view.unit) ?? false) || (sales?.stores.length ?? 0) > 0);
