// Draws the card on pending payments of the ERP: those that are overdue, and those that are due soon.

import { fill } from "./card.js";
import { counted, money } from "./format.js";
import { listSearch, MAX_ID_LENGTH } from "./links.js";
import { sumOf } from "./revenue.js";
import { h, link, named, table } from "./table.js";

/**
 * @typedef {import("./cards.js").Context} Context
 * @typedef {import("./view.js").View} View
 * @typedef {import("../../src/v1/relatorios/payments-schemas.ts").PagamentosPorCentroCusto} Costs
 * @typedef {Costs["data"]} Rows
 */

/** The cost centre of the chosen unit; undefined if all are shown, null if the unit has none. @param {View} view @param {import("./answers.js").Unit[]} units */
export const chosenCentre = (view, units) => {
  if (!view.unit) return undefined;
  const centre = units.find((unit) => unit.salon_id === view.unit)?.erp_centro_custo_id ?? null;
  return centre === null ? null : String(centre);
};

/** What opens the list, for screen readers. */
const LISTS = { vencidos: "Ver pagamentos vencidos", "a-vencer": "Ver pagamentos que vencem em 30 dias" };

/**
 * The sum of payments, with a link to their list, and below it their number.
 * @param {Context} context
 * @param {"vencidos" | "a-vencer"} name
 * @param {Rows} rows
 * @param {string | null} [id] the cost centre; undefined for all
 */
const amountOf = ({ picture: { view } }, name, rows, id) => {
  const count = rows.reduce((sum, row) => sum + row.pendentes, 0);
  const payments = counted(count, "pagamento", "pagamentos");
  const amount = money(sumOf(rows, (row) => row.valor_pendente));
  const isLinked = count > 0 && id !== null && (id?.length ?? 0) <= MAX_ID_LENGTH;
  const search = listSearch(view, { name, ...(id && { costCentre: id }) });
  return h(
    "span",
    {},
    isLinked ? link(search, amount, `${LISTS[name]}: ${payments}, ${amount}`) : amount,
    " ",
    h("span", { class: "more" }, payments),
  );
};

/** @param {[overdue: Costs, due: Costs]} bodies @param {Context} context */
export const showPayments = ([overdue, due], context) => {
  const centre = chosenCentre(context.picture.view, context.units);
  const ofUnit = (/** @type {Rows} */ rows) =>
    rows.filter((row) => centre === undefined || row.id_centro_custo === centre);
  const [late, soon] = [ofUnit(overdue.data), ofUnit(due.data)];
  const ids = [...new Set([...late, ...soon].map((row) => row.id_centro_custo))];
  const at = (/** @type {Rows} */ rows, /** @type {string | null} */ id) =>
    rows.filter((row) => row.id_centro_custo === id);
  const part = (/** @type {string} */ name, /** @type {string | Node} */ value, kind = "") =>
    h("div", { class: kind }, h("dt", {}, name), h("dd", {}, value));
  fill(
    "payments",
    h(
      "dl",
      { class: "parts" },
      part("Vencidos", amountOf(context, "vencidos", late, centre), late.length > 0 ? "overdue" : ""),
      part("Vencem em 30 dias", amountOf(context, "a-vencer", soon, centre)),
    ),
    table(
      "Pagamentos pendentes por centro de custo",
      ["Centro de custo", "Vencidos", "Vencem em 30 dias"],
      ids.map((id) => [
        named(context.centreName(id), { isMissing: id === null }),
        amountOf(context, "vencidos", at(late, id), id),
        amountOf(context, "a-vencer", at(soon, id), id),
      ]),
      { empty: "Nenhum pagamento pendente.", printed: 4 },
    ),
  );
};
