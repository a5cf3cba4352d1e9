// Faturamento: what customers paid, in salons and stores. Sums of several rows are exact, because they add up whole
// centavos.
import { centavos } from "./format.js";

/**
 * @typedef {import("./picture.js").Panel} Panel
 * @typedef {import("./reports.js").OfUnit & { origem: "salao" | "loja" }} Origin
 * @typedef {import("./reports.js").RevenueMeasures} RevenueMeasures
 * @typedef {import("./reports.js").Report<Origin, RevenueMeasures>} RevenueReport
 * @typedef {import("./reports.js").Report<Origin, import("./reports.js").SalesMeasures>} SalesReport
 * @typedef {{ revenue: RevenueReport, lines: SalesReport }} Sales what customers paid, and their product lines, by unit
 * @typedef {object} UnitRow
 * @property {string} id
 * @property {string | null} name
 * @property {number} revenue
 * @property {number | undefined} past the revenue of the earlier period; undefined without visits and sales in it
 * @property {Panel["por_estabelecimento"]["data"][number] | undefined} visits undefined for a unit without visits
 * @property {number} quantity products that the unit sold
 * @property {boolean} isGone whether the unit has visits or sales in the earlier period only
 */

/** Adds quantities, which may have decimals. @param {readonly { quantidade: number }[]} rows */
export const quantityOf = (rows) => Number(rows.reduce((sum, row) => sum + row.quantidade, 0).toFixed(6));

/** @template T @param {readonly T[]} rows @param {(row: T) => number} amountOf */
export const sumOf = (rows, amountOf) => rows.reduce((sum, row) => sum + centavos(amountOf(row)), 0) / 100;

/** Products sold, by origin. @param {Sales} sales @param {Origin["origem"]} origin */
export const productsOf = ({ revenue }, origin) =>
  sumOf(revenue.data, (row) => (row.origem === origin ? row.valor_produtos : 0));

/** @param {Panel["por_estabelecimento"]["data"]} visits @param {Sales | undefined} sales @returns {UnitRow[]} */
const everyUnit = (visits, sales) => {
  const [revenue, lines] = [sales?.revenue.data ?? [], sales?.lines.data ?? []];
  const ids = new Set([...visits, ...revenue, ...lines].map((row) => row.estabelecimento_id));
  return [...ids].map((id) => {
    const ofUnit = (/** @type {{ estabelecimento_id: string }} */ row) => row.estabelecimento_id === id;
    const [visited, paid, sold] = [visits.find(ofUnit), revenue.filter(ofUnit), lines.filter(ofUnit)];
    const isOpen = (visited?.visitas ?? 0) > 0 || sold.some(({ linhas }) => linhas > 0);
    const wasOpen =
      (visited?.anterior?.visitas ?? 0) > 0 || sold.some(({ anterior }) => (anterior?.linhas ?? 0) > 0);
    return {
      id,
      name: [visited, ...paid, ...sold].find((row) => row?.unidade_nome)?.unidade_nome ?? null,
      revenue: sumOf(paid, (row) => row.valor_total),
      past: sales && wasOpen ? sumOf(paid, ({ anterior }) => anterior?.valor_total ?? 0) : undefined,
      visits: (visited?.visitas ?? 0) > 0 ? visited : undefined,
      quantity: quantityOf(sold),
      isGone: !isOpen,
    };
  });
};

/**
 * One row per unit that has visits or sales, highest revenue first. Units that had them in the earlier period only
 * follow, if the two can be compared.
 * @param {Panel["por_estabelecimento"]["data"]} visits
 * @param {Sales | undefined} sales undefined if they did not arrive
 */
export const unitRows = (visits, sales) =>
  everyUnit(visits, sales)
    .filter(({ isGone, past }) => !isGone || past !== undefined)
    .sort(
      (a, b) =>
        Number(a.isGone) - Number(b.isGone) ||
        b.revenue - a.revenue ||
        (a.isGone ? (b.past ?? 0) - (a.past ?? 0) : 0) ||
        a.id.localeCompare(b.id),
    );
