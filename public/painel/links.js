// Links from a figure to the list of its records. The list is a part of the URL, next to the view.
import { isDay, paramsOf } from "./view.js";

/**
 * @typedef {import("./view.js").View} View
 * @typedef {"atendimentos" | "pendentes" | "todos-pendentes" | "vendas" | "vencidos" | "a-vencer"} ListName
 * @typedef {object} List
 * @property {ListName} name
 * @property {number} page
 * @property {string} unit
 * @property {string} [from] first day; without it, the list is of the view's period
 * @property {string} [to]
 * @property {number} [hour]
 * @property {string} [product]
 * @property {string} [costCentre]
 */

/** The service filters by ids of at most this many characters. */
export const MAX_ID_LENGTH = 64;
/** @type {readonly ListName[]} */
const NAMES = ["atendimentos", "pendentes", "todos-pendentes", "vendas", "vencidos", "a-vencer"];

/** @param {View} view @param {Omit<List, "page" | "unit"> & { page?: number, unit?: string }} list */
export const listSearch = (view, { name, page = 1, unit, from, to, hour, product, costCentre }) => {
  const params = paramsOf(view);
  params.set("lista", name);
  if (unit && unit !== view.unit) params.set("lista-unidade", unit);
  if (from) params.set("lista-de", from);
  if (to) params.set("lista-ate", to);
  if (hour !== undefined) params.set("hora", String(hour));
  if (product) params.set("produto", product);
  if (costCentre) params.set("centro", costCentre);
  if (page > 1) params.set("pagina", String(page));
  return `?${params}`;
};

/**
 * The list in the URL; undefined if the URL shows the panel.
 * @param {string} search
 * @param {View} view
 * @param {string[] | null} allowed the units that the user may read; null means all
 * @returns {List | undefined}
 */
export const readList = (search, view, allowed) => {
  const params = new URLSearchParams(search);
  const name = NAMES.find((known) => known === params.get("lista"));
  if (name === undefined) return undefined;
  const given = (/** @type {string} */ key, /** @type {RegExp} */ pattern) => {
    const value = params.get(key);
    return value !== null && pattern.test(value) ? value : undefined;
  };
  const day = (/** @type {string} */ key) => {
    const value = params.get(key);
    return isDay(value) ? value : undefined;
  };
  const [from, to, hour] = [day("lista-de"), day("lista-ate"), given("hora", /^(?:1?\d|2[0-3])$/)];
  const [product, costCentre, unit] = [
    given("produto", /./),
    given("centro", /./),
    given("lista-unidade", /./),
  ];
  return {
    name,
    page: Number(given("pagina", /^[1-9]\d{0,5}$/) ?? 1),
    unit: unit !== undefined && (allowed === null || allowed.includes(unit)) ? unit : view.unit,
    ...(from && { from }),
    ...(to && { to }),
    ...(hour && { hour: Number(hour) }),
    ...(product && { product }),
    ...(costCentre && { costCentre }),
  };
};
