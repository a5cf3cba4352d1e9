// Draws the card on pending payments of the ERP: those that are overdue, and those that are due soon.

import { fill } from "./card.js";
import { counted, money } from "./format.js";
import { listSearch, MAX_ID_LENGTH } from "./links.js";
import { sumOf } from "./revenue.js";
import { h, link, named, table } from "./table.js";

/**
 * @typedef {import("./cards.js").Context} Context
 * @typedef {import("./view.js").View} View
 * @typedef {import("./reports.js").Report<{ id_centro_custo: string | null }, import("./reports.js").PaymentMeasures>} Costs
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

/** The payments of rows that are overdue, or due soon: their number and their sum. @param {keyof typeof LISTS} name @param {Rows} rows */
const sumsOf = (name, rows) => {
  const isLate = name === "vencidos";
  return {
    count: rows.reduce((sum, row) => sum + (isLate ? row.vencidos : row.pendentes - row.vencidos), 0),
    amount: isLate
      ? sumOf(rows, (row) => row.valor_vencido)
      : sumOf(
          rows.flatMap((row) => [row.valor_pendente, -row.valor_vencido]),
          (amount) => amount,
        ),
  };
};

/**
 * The sum of payments, with a link to their list, and below it their number.
 * @param {Context} context
 * @param {keyof typeof LISTS} name
 * @param {Rows} rows
 * @param {string | null} [id] the cost centre; undefined for all
 */
const amountOf = ({ picture: { view } }, name, rows, id) => {
  const sums = sumsOf(name, rows);
  const payments = counted(sums.count, "pagamento", "pagamentos");
  const amount = money(sums.amount);
  const isLinked = sums.count > 0 && id !== null && (id?.length ?? 0) <= MAX_ID_LENGTH;
  const search = listSearch(view, { name, ...(id && { costCentre: id }) });
  return h(
    "span",
    {},
    isLinked ? link(search, amount, `${LISTS[name]}: ${payments}, ${amount}`) : amount,
    " ",
    h("span", { class: "more" }, payments),
  );
};

/** @param {[Costs]} bodies @param {Context} context */
export const showPayments = ([{ data }], context) => {
  const centre = chosenCentre(context.picture.view, context.units);
  const rows = data.filter((row) => centre === undefined || row.id_centro_custo === centre);
  const isLate = (/** @type {Rows[number]} */ row) => row.vencidos > 0;
  // Those without overdue payments follow, as the service orders them: highest sum first.
  const sorted = rows.toSorted(
    (a, b) => Number(isLate(b)) - Number(isLate(a)) || b.valor_vencido - a.valor_vencido,
  );
  const part = (/** @type {string} */ name, /** @type {string | Node} */ value, kind = "") =>
    h("div", { class: kind }, h("dt", {}, name), h("dd", {}, value));
  fill(
    "payments",
    h(
      "dl",
      { class: "parts" },
      part("Vencidos", amountOf(context, "vencidos", rows, centre), rows.some(isLate) ? "overdue" : ""),
      part("Vencem em 30 dias", amountOf(context, "a-vencer", rows, centre)),
    ),
    table(
      "Pagamentos pendentes por centro de custo",
      ["Centro de custo", "Vencidos", "Vencem em 30 dias"],
      sorted.map((row) => [
        named(context.centreName(row.id_centro_custo), { isMissing: row.id_centro_custo === null }),
        amountOf(context, "vencidos", [row], row.id_centro_custo),
        amountOf(context, "a-vencer", [row], row.id_centro_custo),
      ]),
      { empty: "Nenhum pagamento pendente.", printed: 4 },
    ),
  );
};
