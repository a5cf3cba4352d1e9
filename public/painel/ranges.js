// Turns a view into the ranges that the service reads: the period, and the one to compare it with.
import { reportPath } from "./reports.js";
import { addDays, clockAt, dayCount, dayOf, elapsedDays } from "./view.js";

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./view.js").Days} Days
 * @typedef {"anterior" | "semana-anterior" | "mes-anterior" | "ano-anterior"} Comparison
 * @typedef {"hora" | "dia" | "semana" | "mes"} Step what one bar of the chart shows
 */

/** More days are shown by week, and more than two years by month. */
const [MAX_DAILY_BARS, MAX_WEEKLY_DAYS] = [62, 731];

const isFirst = (/** @type {string} */ day) => day.endsWith("-01");
const isLast = (/** @type {string} */ day) => isFirst(addDays(day, 1));

/** What a manager compares the period with; undefined if nothing. @param {View} view @returns {Comparison | undefined} */
export const comparisonOf = (view) => {
  if (view.compared === "nada") return undefined;
  if (view.compared === "ano") return "ano-anterior";
  const { period, from, to } = view;
  if (period === "hoje" || (period === "datas" && from === to)) return "semana-anterior";
  if (period === "7-dias") return "anterior";
  if (period === "ano" || (from.endsWith("-01-01") && to === `${from.slice(0, 4)}-12-31`))
    return "ano-anterior";
  const isMonth = isFirst(from) && isLast(to) && from.slice(0, 7) === to.slice(0, 7);
  return period !== "datas" || isMonth ? "mes-anterior" : "anterior";
};

/** The same day of an earlier month, or the month's last day. @param {string} day @param {number} months */
const monthsEarlier = (day, months) => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 - months, Math.min(date, last))).toISOString().slice(0, 10);
};

/** The first day to compare with, before the service has named it; undefined if nothing is compared. @param {View} view */
export const earlierStart = (view) => {
  const kind = comparisonOf(view);
  const days = elapsedDays(view);
  if (kind === undefined) return undefined;
  if (kind === "anterior") return addDays(days.from, -dayCount(days));
  if (kind === "semana-anterior") return addDays(days.from, -7);
  return monthsEarlier(days.from, kind === "mes-anterior" ? 1 : 12);
};

/**
 * The UTC offset at the start of a day. Until 2019, summer time began at midnight: that day starts at 01:00-02:00,
 * which is 00:00-03:00.
 * @param {string} day
 */
const startOffset = (day) => (dayOf(Date.parse(`${day}T00:00:00-02:00`)) === day ? "-02:00" : "-03:00");

const startOf = (/** @type {string} */ day) => `${day}T00:00:00${startOffset(day)}`;
export const endOf = (/** @type {string} */ day) => `${day}T23:59:59.999999${startOffset(addDays(day, 1))}`;

/** The parameters of a range of days, both included. @param {Days} days @param {string} [unit] */
export const rangeOfDays = ({ from, to }, unit = "") => ({
  data_inicio: startOf(from),
  data_fim: endOf(to),
  ...(unit && { estabelecimento_id: unit }),
});

const hourOf = (/** @type {number} */ hour) => String(hour).padStart(2, "0");

/** One hour of a day, by the clock of its noon. @param {string} day @param {number} hour */
export const rangeOfHour = (day, hour) => {
  const offset = clockAt(Date.parse(`${day}T12:00:00-03:00`)).hour === 12 ? "-03:00" : "-02:00";
  const at = `${day}T${hourOf(hour)}`;
  return { data_inicio: `${at}:00:00${offset}`, data_fim: `${at}:59:59.999999${offset}` };
};

/** Whether the period is today and nothing else. @param {View} view */
export const isToday = ({ from, to, clock }) => from === clock.today && to === clock.today;

/** The parameters of the period. Today ends with the current hour. @param {View} view */
export const rangeOf = (view) => {
  const days = elapsedDays(view);
  return {
    ...rangeOfDays(days, view.unit),
    ...(isToday(view) && { data_fim: rangeOfHour(days.to, view.clock.hour).data_fim }),
  };
};

/** The same, with the comparison. The service chooses the earlier range. @param {View} view */
export const comparedRangeOf = (view) => ({ ...rangeOf(view), comparar: comparisonOf(view) });

/** Payments due within this many days are shown. */
const DUE_DAYS = 30;

/** The due dates of the payments that are overdue, and of those that are due soon. @param {View} view */
export const paymentRanges = ({ clock: { today } }) => ({
  overdue: { data_fim: endOf(addDays(today, -1)) },
  due: { data_inicio: startOf(today), data_fim: endOf(addDays(today, DUE_DAYS)) },
});

/** What one bar shows. @param {View} view @returns {Step} */
export const stepOf = (view) => {
  const count = dayCount(elapsedDays(view));
  if (count === 1) return "hora";
  if (count <= MAX_DAILY_BARS) return "dia";
  return count <= MAX_WEEKLY_DAYS ? "semana" : "mes";
};

/** The dimension of the service's rows behind the bars: weeks are put together from days. @param {View} view */
export const rowStepOf = (view) => (stepOf(view) === "mes" ? "mes" : "dia");

/** The products that sold most. The panel's report orders them by the number of their lines. @param {View} view @param {string} limite */
export const productsPath = (view, limite) =>
  reportPath("vendas", {
    ...rangeOf(view),
    por: "produto",
    medidas: "quantidade,valor_total,quantidade_profissional,valor_profissional",
    ordem: "-valor_total",
    limite,
  });

/** @param {View} view */
export const panelPath = (view) =>
  reportPath("painel", { ...comparedRangeOf(view), granularidade: rowStepOf(view) });
