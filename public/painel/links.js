// Links from a figure to the list of its records. The list is a part of the URL, next to the view.
import { paramsOf } from "./view.js";

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

const DAY = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
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

/** The list in the URL; undefined if the URL shows the panel. @param {string} search @param {View} view @returns {List | undefined} */
export const readList = (search, view) => {
  const params = new URLSearchParams(search);
  const name = NAMES.find((known) => known === params.get("lista"));
  if (name === undefined) return undefined;
  const given = (/** @type {string} */ key, /** @type {RegExp} */ pattern) => {
    const value = params.get(key);
    return value !== null && pattern.test(value) ? value : undefined;
  };
  const [from, to, hour] = [
    given("lista-de", DAY),
    given("lista-ate", DAY),
    given("hora", /^(?:1?\d|2[0-3])$/),
  ];
  const [product, costCentre] = [given("produto", /./), given("centro", /./)];
  return {
    name,
    page: Number(given("pagina", /^[1-9]\d{0,5}$/) ?? 1),
    unit: params.get("lista-unidade") ?? view.unit,
    ...(from && { from }),
    ...(to && { to }),
    ...(hour && { hour: Number(hour) }),
    ...(product && { product }),
    ...(costCentre && { costCentre }),
  };
};
