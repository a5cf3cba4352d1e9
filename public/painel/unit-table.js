// Draws the table of the units: salons by their visits and sales, stores by their sales.
import { change, money, number, share } from "./format.js";
import { listSearch } from "./links.js";
import { rangeOf, reportPath } from "./ranges.js";
import { unitRows } from "./revenue.js";
import { fill, isComparable, toggleCard } from "./show.js";
import { bar, changeCell, h, link, named, nameOr, table } from "./table.js";
import { searchOf } from "./view.js";

/** @typedef {import("./answers.js").Picture} Picture */

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

/** The rows of the units now, and those that had visits or sales in the earlier period only. @param {Picture} picture */
const comparedUnits = ({ panel, details: { sales, earlierSales } }) => {
  const none = { salons: [], stores: [] };
  const now = unitRows(panel.por_estabelecimento.data, sales ?? none);
  const past =
    panel.anterior && earlierSales ? unitRows(panel.anterior.por_estabelecimento.data, earlierSales) : [];
  const gone = past.filter((row) => !now.some(({ id }) => id === row.id));
  const empty = { total: 0, services: 0, products: 0, stores: 0, taken: 0 };
  return [...now, ...gone.map((row) => ({ ...row, revenue: empty, visits: undefined, quantity: 0 }))].map(
    (row) => ({
      ...row,
      past: past.find(({ id }) => id === row.id)?.revenue.total,
    }),
  );
};

/** The links of a row: to its records, and to the unit alone. @param {Picture} picture @param {string} id @param {string} label @param {boolean} hasVisits */
const linksOf = ({ view }, id, label, hasVisits) => {
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

/** @param {Picture} picture @param {ReturnType<typeof comparedUnits>[number]} row @param {number} max the highest revenue @param {boolean} isClosed */
const cellsOf = (picture, { id, name, revenue, visits, quantity, past }, max, isClosed) => {
  const { sales } = picture.details;
  const label = nameOr(name, `Unidade ${id}`) + (isClosed ? " (inativa)" : "");
  const difference = isComparable(picture, id) ? change(revenue.total, past) : undefined;
  return [
    named(label, { meter: bar(revenue.total, max), isMissing: !name?.trim() }),
    sales ? money(revenue.total) : "—",
    changeCell(difference, isClosed),
    visits ? number(visits.total_transacoes) : "—",
    visits ? money(visits.ticket_medio) : "—",
    sales ? number(quantity) : "—",
    visits ? share(visits.enviadas_erp, visits.total_transacoes) : "—",
    visits ? money(visits.valor_pendente) : "—",
    linksOf(picture, id, label, visits !== undefined),
  ];
};

/** @param {Picture} picture @param {import("./download.js").Offer} offer @param {import("./answers.js").Unit[]} units @param {boolean} hasSeveralUnits whether the user may read more than one */
export const showUnits = (picture, offer, units, hasSeveralUnits) => {
  const { view } = picture;
  const rows = comparedUnits(picture);
  const max = Math.max(0, ...rows.map((row) => row.revenue.total));
  const closed = new Set(units.filter(({ ativo }) => !ativo).map((unit) => unit.salon_id));
  fill(
    "units",
    table(
      "Faturamento por unidade",
      COLUMNS,
      rows.map((row) => cellsOf(picture, row, max, closed.has(row.id))),
      { printed: 12 },
    ),
  );
  // With a single unit, this table would repeat the cards.
  toggleCard("units", hasSeveralUnits && view.unit === "");
  offer("units", reportPath("transacoes-por-estabelecimento", rangeOf(view)));
  // The salons' products are already in their visits.
  offer("units-sales", reportPath("vendas-por-estabelecimento", { ...rangeOf(view), origem: "loja" }));
};
