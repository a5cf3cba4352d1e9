// What is looked at: a period and a unit. It lives in the address, so that it can be sent to somebody.

/**
 * @typedef {"hoje" | "7-dias" | "mes" | "mes-passado" | "ano" | "datas"} Period
 * @typedef {{ from: string, to: string }} Days both of them in it, as YYYY-MM-DD in Brasília
 * @typedef {Days & { period: Period, unit: string, isMisread: boolean }} View every unit where it is ""; misread where the
 *   address names a period there is not
 */

/** @type {readonly Period[]} */
const PERIODS = ["hoje", "7-dias", "mes", "mes-passado", "ano", "datas"];
/** The days one may ask for: their months, and as many before, are days and periods the service has. */
const [FIRST, LAST] = ["2000-01-01", "2089-12-31"];
/** How many bars of a day each can be told apart; longer periods are shown by month. */
const MOST_DAYS = 62;
const DAY_MS = 86_400_000;

const BRASILIA = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Sao_Paulo" });

/** The day it is in Brasília at an instant. @param {number | Date} instant */
export const dayOf = (instant) => BRASILIA.format(instant);

/** @param {string} day @param {number} by */
const shifted = (day, by) =>
  new Date(Date.parse(`${day}T12:00:00Z`) + by * DAY_MS).toISOString().slice(0, 10);

/** @param {Days} days */
export const countOf = ({ from, to }) => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Whether it is a day of the calendar that one may ask for. @param {string | null} text @returns {text is string} */
const isDay = (text) =>
  text !== null &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  shifted(text, 0) === text &&
  text >= FIRST &&
  text <= LAST;

/** @param {Exclude<Period, "datas">} period @param {string} today @returns {Days} */
const daysOf = (period, today) => {
  const month = today.slice(0, 8);
  const lastMonth = shifted(`${month}01`, -1);
  return {
    hoje: { from: today, to: today },
    "7-dias": { from: shifted(today, -6), to: today },
    mes: { from: `${month}01`, to: today },
    "mes-passado": { from: `${lastMonth.slice(0, 8)}01`, to: lastMonth },
    ano: { from: `${today.slice(0, 4)}-01-01`, to: today },
  }[period];
};

/**
 * The view an address names; what it says wrongly, which is told, or not at all is this month.
 * @param {string} search
 * @param {string} today
 * @returns {View}
 */
export const readView = (search, today) => {
  const given = new URLSearchParams(search);
  const unit = given.get("unidade") ?? "";
  const [from, to] = [given.get("de"), given.get("ate")];
  const name = given.get("periodo") ?? (from === null && to === null ? "mes" : "datas");
  const period = PERIODS.find((one) => one === name);
  if (period && period !== "datas") return { period, unit, ...daysOf(period, today), isMisread: false };
  return period && isDay(from) && isDay(to) && from <= to
    ? { period, unit, from, to, isMisread: false }
    : { period: "mes", unit, ...daysOf("mes", today), isMisread: true };
};

/** The address of a view, without what goes without saying. @param {View} view */
export const searchOf = ({ period, unit, from, to }) => {
  const search = new URLSearchParams();
  if (period !== "mes") search.set("periodo", period);
  if (period === "datas") {
    search.set("de", from);
    search.set("ate", to);
  }
  if (unit) search.set("unidade", unit);
  return search.size > 0 ? `?${search}` : "";
};

/** As many days, just before. @param {Days} days @returns {Days} */
export const before = (days) => ({ from: shifted(days.from, -countOf(days)), to: shifted(days.from, -1) });

/**
 * The offset that holds where a day begins. Brasília had summer time until 2019, and turned its clocks at midnight: the
 * day that began it begins at one o'clock, which is midnight by the other offset.
 * @param {string} day
 */
const offsetAtStartOf = (day) => (dayOf(Date.parse(`${day}T00:00:00-02:00`)) === day ? "-02:00" : "-03:00");

/** @param {Days} days */
const granularityOf = (days) => (countOf(days) <= MOST_DAYS ? "dia" : "mes");

/** What the service is asked for, from the first moment of a period to its last: both count. @param {Days & { unit: string }} view */
const rangeOf = ({ from, to, unit }) => ({
  data_inicio: `${from}T00:00:00${offsetAtStartOf(from)}`,
  data_fim: `${to}T23:59:59.999999${offsetAtStartOf(shifted(to, 1))}`,
  ...(unit && { estabelecimento_id: unit }),
});

/** @param {View} view */
export const panelPath = (view) =>
  `/v1/relatorios/painel?${new URLSearchParams({ ...rangeOf(view), granularidade: granularityOf(view) })}`;

/** @param {View} view */
export const beforePath = (view) =>
  `/v1/relatorios/resumo?${new URLSearchParams(rangeOf({ ...before(view), unit: view.unit }))}`;

/** @param {View} view */
export const isByMonth = (view) => granularityOf(view) === "mes";
