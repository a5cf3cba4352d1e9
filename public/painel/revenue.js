// Faturamento: what customers paid, in salons and stores. Sums are exact, because they add up whole centavos.
import { centavos } from "./format.js";

/**
 * @typedef {import("./picture.js").Panel} Panel
 * @typedef {import("../../src/v1/relatorios/sales-schemas.ts").VendasPorEstabelecimento["data"]} SalesRows
 * @typedef {{ salons: SalesRows, stores: SalesRows }} Sales product lines by unit
 * @typedef {object} Revenue amounts in reais. `total` is the sum of `services`, `products` and `stores`
 * @property {number} total
 * @property {number} services services of salons, and the rest of their visits
 * @property {number} products products that salons sold
 * @property {number} stores products that stores sold
 * @property {number} taken products that professionals took, which are not in `total`
 * @typedef {object} UnitRow
 * @property {string} id
 * @property {string | null} name
 * @property {Revenue} revenue
 * @property {Panel["por_estabelecimento"]["data"][number] | undefined} visits undefined for a unit without visits
 * @property {number} quantity products that the unit sold
 */

/** Adds quantities, which may have decimals. @param {readonly { quantidade: number }[]} rows */
export const quantityOf = (rows) => Number(rows.reduce((sum, row) => sum + row.quantidade, 0).toFixed(6));

/** @template T @param {readonly T[]} rows @param {(row: T) => number} amountOf */
export const sumOf = (rows, amountOf) => rows.reduce((sum, row) => sum + centavos(amountOf(row)), 0) / 100;

/**
 * A visit's total contains its product lines and what professionals took (they paid for it themselves).
 * @param {number} visits the sum of visits' totals
 * @param {Sales} sales
 * @returns {Revenue}
 */
export const revenueOf = (visits, { salons, stores }) => {
  const products = sumOf(salons, (row) => row.valor_total);
  const takenInSalons = sumOf(salons, (row) => row.valor_profissional);
  const sold = sumOf(stores, (row) => row.valor_total);
  const of = (/** @type {number[]} */ ...amounts) => sumOf(amounts, (amount) => amount);
  return {
    total: of(visits, -takenInSalons, sold),
    services: of(visits, -products, -takenInSalons),
    products,
    stores: sold,
    taken: of(
      takenInSalons,
      sumOf(stores, (row) => row.valor_profissional),
    ),
  };
};

/**
 * One row per unit that has visits or sales, highest revenue first.
 * @param {Panel["por_estabelecimento"]["data"]} visits
 * @param {Sales} sales
 * @returns {UnitRow[]}
 */
export const unitRows = (visits, { salons, stores }) => {
  const ids = new Set([...visits, ...salons, ...stores].map((row) => row.estabelecimento_id));
  const rows = [...ids].map((id) => {
    const ofUnit = (/** @type {{ estabelecimento_id: string }} */ row) => row.estabelecimento_id === id;
    const own = { salons: salons.filter(ofUnit), stores: stores.filter(ofUnit) };
    const visited = visits.find(ofUnit);
    const lines = [...own.salons, ...own.stores];
    return {
      id,
      name: visited?.nome ?? lines[0]?.nome ?? null,
      revenue: revenueOf(visited?.valor_total ?? 0, own),
      visits: visited,
      quantity: quantityOf(lines),
    };
  });
  return rows.sort((a, b) => b.revenue.total - a.revenue.total || a.id.localeCompare(b.id));
};
