// Draws the table of the units: salons by their visits and sales, stores by their sales.
import { byId } from "../session.js";
import { fill, toggleCard } from "./card.js";
import { change, money, number, oneDecimal, share, signedMoney } from "./format.js";
import { listSearch } from "./links.js";
import { isComparable } from "./picture.js";
import { sumOf, unitRows } from "./revenue.js";
import { bar, changeCell, h, link, named, nameOr, table } from "./table.js";
import { elapsedDays, searchOf } from "./view.js";

/**
 * @typedef {import("./answers.js").Picture} Picture
 * @typedef {import("./revenue.js").UnitRow & { label: string, hasVisits: boolean, isClosed: boolean, growth?: number | undefined }} Row
 *   a unit: whether it has visits now or had them before, and the change from the earlier period as a fraction if the
 *   two can be compared
 */

const COLUMNS = [
  "Unidade",
  "Faturamento",
  "Variação",
  "Atendimentos",
  "Ticket médio",
  "Produtos vendidos",
  "Enviados ao ERP",
  "Pendente de envio",
  "Registros",
];

/** The growth that the orders compare: closed units, and those without a growth, come last. */
const growthOf = (/** @type {Row} */ { growth, isClosed }, /** @type {number} */ last) =>
  isClosed ? last : (growth ?? last);

/** The orders that the user may choose. @type {Record<string, (a: Row, b: Row) => number>} */
const ORDERS = {
  queda: (a, b) => growthOf(a, Infinity) - growthOf(b, Infinity) || 0,
  alta: (a, b) => growthOf(b, -Infinity) - growthOf(a, -Infinity) || 0,
};

/** The difference of two amounts, exact. */
const difference = (/** @type {number} */ now, /** @type {number} */ past) =>
  sumOf([now, -past], (amount) => amount);

/** The rows of the units now, and those that had visits or sales in the earlier period only. @param {Picture} picture @param {import("./answers.js").Unit[]} units @returns {Row[]} */
const comparedUnits = (picture, units) => {
  const { panel, details } = picture;
  const closed = new Set(units.filter(({ ativo }) => !ativo).map((unit) => unit.salon_id));
  return unitRows(panel.por_estabelecimento.data, details.sales).map((row) => {
    const { id, revenue, past, visits } = row;
    const hasVisits = visits !== undefined || (details.known?.visits.has(id) ?? false);
    const isFair = isComparable(picture, hasVisits ? "visits" : "sales", id);
    return {
      ...row,
      hasVisits,
      label: nameOr(row.name, `Unidade ${id}`) + (closed.has(id) ? " (inativa)" : ""),
      isClosed: closed.has(id),
      growth: isFair && past !== undefined && past > 0 ? difference(revenue, past) / past : undefined,
    };
  });
};

/** The links of a row: to its records, and to the unit alone. @param {Picture} picture @param {Row} row */
const linksOf = ({ view }, { id, label, hasVisits }) => {
  /** @type {import("./links.js").ListName} */
  const records = hasVisits ? "atendimentos" : "vendas";
  const short = label.slice(0, 80);
  return h(
    "span",
    { class: "links" },
    link(listSearch(view, { name: records, unit: id }), "Ver", `Ver ${records}: ${short}`),
    link(searchOf({ ...view, unit: id }), "Só esta unidade", `Só esta unidade: ${short}`),
  );
};

/** @param {Row} row */
const growthCell = ({ revenue, past = 0, growth, isClosed }) =>
  growth === undefined
    ? changeCell(undefined)
    : h(
        "span",
        {},
        changeCell(change(revenue, past), isClosed),
        " ",
        h("span", { class: "more" }, signedMoney(difference(revenue, past))),
      );

/** @param {Picture} picture @param {Row} row @param {number} max the highest revenue */
const cellsOf = (picture, row, max) => {
  const { sales } = picture.details;
  const { name, label, revenue, visits, hasVisits, quantity } = row;
  return [
    named(label, { meter: bar(revenue, max), isMissing: !name?.trim() }),
    sales ? money(revenue) : "—",
    growthCell(row),
    hasVisits ? number(visits?.visitas ?? 0) : "—",
    visits ? money(visits.ticket_medio ?? 0) : "—",
    sales ? number(quantity) : "—",
    visits ? share(visits.enviadas, visits.visitas) : "—",
    hasVisits ? money(visits?.valor_pendente ?? 0) : "—",
    linksOf(picture, row),
  ];
};

/** The same table as a file, with numbers. @param {Picture} picture @param {Row[]} rows @returns {import("./sheet.js").Sheet} */
const sheetOf = ({ view, details: { sales } }, rows) => {
  const { from, to } = elapsedDays(view);
  return {
    name: `por-unidade-${from}-${to}`,
    columns: [
      "Unidade",
      "Faturamento",
      "Antes",
      "Diferença",
      "Variação (%)",
      "Atendimentos",
      "Ticket médio",
      "Produtos vendidos",
      "Enviados ao ERP (%)",
      "Pendente de envio",
    ],
    rows: rows.map(({ label, revenue, past, growth, visits, hasVisits, quantity }) => [
      label,
      sales ? revenue : null,
      past ?? null,
      past === undefined || growth === undefined ? null : difference(revenue, past),
      growth === undefined ? null : oneDecimal(100 * growth),
      hasVisits ? (visits?.visitas ?? 0) : null,
      visits?.ticket_medio ?? null,
      sales ? quantity : null,
      visits && visits.visitas > 0 ? oneDecimal((100 * visits.enviadas) / visits.visitas) : null,
      hasVisits ? (visits?.valor_pendente ?? 0) : null,
    ]),
  };
};

/** @param {Picture} picture @param {import("./download.js").Offer} offer @param {import("./answers.js").Unit[]} units @param {boolean} hasSeveralUnits whether the user may read more than one */
export const showUnits = (picture, offer, units, hasSeveralUnits) => {
  const order = /** @type {HTMLSelectElement} */ (byId("units-order"));
  const rows = comparedUnits(picture, units).sort(ORDERS[order.value]);
  const max = Math.max(0, ...rows.map((row) => row.revenue));
  /** @type {HTMLElement} */ (order.parentElement).hidden = rows.every(({ growth }) => growth === undefined);
  fill(
    "units",
    table(
      "Faturamento por unidade",
      COLUMNS,
      rows.map((row) => cellsOf(picture, row, max)),
      { printed: 12 },
    ),
  );
  // With a single unit, this table would repeat the cards.
  toggleCard("units", hasSeveralUnits && picture.view.unit === "");
  offer("units", sheetOf(picture, rows));
};
