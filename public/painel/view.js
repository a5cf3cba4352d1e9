// The view: a period, a unit and what to compare with. The URL stores it, so that a link can be shared.

/**
 * @typedef {"hoje" | "7-dias" | "mes" | "mes-passado" | "ano" | "datas"} Period
 * @typedef {"anterior" | "ano" | "nada"} Compared what the period is compared with
 * @typedef {{ from: string, to: string }} Days first and last day, inclusive, as YYYY-MM-DD in Brasília
 * @typedef {{ today: string, hour: number }} Clock the day and the hour in Brasília
 * @typedef {Days & { period: Period, unit: string, compared: Compared, clock: Clock, isFallback: boolean, isOutside?: boolean }} View
 *   unit "" means all units; `isFallback` means that the URL has an invalid period and this month is shown instead;
 *   `isOutside` that the user may not read the unit in the URL
 */

/** @type {readonly Period[]} */
const PERIODS = ["hoje", "7-dias", "mes", "mes-passado", "ano", "datas"];
/** @type {readonly Compared[]} */
const COMPARED = ["anterior", "ano", "nada"];
/** Within these bounds the service accepts any period and its previous period. */
const [MIN_DAY, MAX_DAY] = ["2000-01-01", "2089-12-31"];
const DAY_MS = 86_400_000;

const BRASILIA = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Sao_Paulo" });
const HOUR = new Intl.DateTimeFormat("en-CA", {
  timeZone: "America/Sao_Paulo",
  hour: "2-digit",
  hourCycle: "h23",
});

/** The date in Brasília at an instant. @param {number | Date} instant */
export const dayOf = (instant) => BRASILIA.format(instant);

/** @param {number} instant @returns {Clock} */
export const clockAt = (instant) => ({ today: dayOf(instant), hour: Number(HOUR.format(instant)) });

/** @param {string} day @param {number} count */
export const addDays = (day, count) =>
  new Date(Date.parse(`${day}T12:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

/** @param {Days} days */
export const dayCount = ({ from, to }) => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Whether a text is a valid date within the bounds. @param {string | null} text @returns {text is string} */
export const isDay = (text) =>
  text !== null &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  addDays(text, 0) === text &&
  text >= MIN_DAY &&
  text <= MAX_DAY;

/** @param {Exclude<Period, "datas">} period @param {string} today @returns {Days} */
const daysOf = (period, today) => {
  const month = today.slice(0, 8);
  const lastMonth = addDays(`${month}01`, -1);
  return {
    hoje: { from: today, to: today },
    "7-dias": { from: addDays(today, -6), to: today },
    mes: { from: `${month}01`, to: today },
    "mes-passado": { from: `${lastMonth.slice(0, 8)}01`, to: lastMonth },
    ano: { from: `${today.slice(0, 4)}-01-01`, to: today },
  }[period];
};

/**
 * Parses the view in a query string. Example: `?periodo=hoje&unidade=7`. Without a valid period it is this month.
 * @param {string} search
 * @param {Clock} clock
 * @returns {View}
 */
export const readView = (search, clock) => {
  const params = new URLSearchParams(search);
  const compared = COMPARED.find((known) => known === params.get("comparar")) ?? "anterior";
  const chosen = { unit: params.get("unidade") ?? "", compared, clock, isFallback: false };
  const [from, to] = [params.get("de"), params.get("ate")];
  const name = params.get("periodo") ?? (from === null && to === null ? "mes" : "datas");
  const period = PERIODS.find((known) => known === name);
  if (period && period !== "datas") return { ...chosen, period, ...daysOf(period, clock.today) };
  return period && isDay(from) && isDay(to) && from <= to
    ? { ...chosen, period, from, to }
    : { ...chosen, period: "mes", ...daysOf("mes", clock.today), isFallback: true };
};

/** The parameters of a view in the URL, without defaults. @param {View} view */
export const paramsOf = ({ period, unit, compared, from, to }) => {
  const params = new URLSearchParams();
  if (period !== "mes") params.set("periodo", period);
  if (period === "datas") {
    params.set("de", from);
    params.set("ate", to);
  }
  if (unit) params.set("unidade", unit);
  if (compared !== "anterior") params.set("comparar", compared);
  return params;
};

const toSearch = (/** @type {URLSearchParams} */ params) => (params.size > 0 ? `?${params}` : "");

/** The query string of a view. @param {View} view */
export const searchOf = (view) => toSearch(paramsOf(view));

/** Whether the period begins after today. @param {View} view */
export const isFuture = ({ from, clock }) => from > clock.today;

/** The days of the period until today. If the period begins later, all its days. @param {View} view @returns {Days} */
export const elapsedDays = (view) => {
  const { from, to, clock } = view;
  return { from, to: isFuture(view) || to < clock.today ? to : clock.today };
};
