// The view: a period and a unit. The URL stores it, so that a link can be shared.

/**
 * @typedef {"hoje" | "7-dias" | "mes" | "mes-passado" | "ano" | "datas"} Period
 * @typedef {{ from: string, to: string }} Days first and last day, inclusive, as YYYY-MM-DD in Brasília
 * @typedef {Days & { period: Period, unit: string, isFallback: boolean, isOutside?: boolean }} View unit "" means all units; `isFallback`
 *   means that the URL has an invalid period and this month is shown instead; `isOutside` that the user may not read
 *   the unit in the URL
 */

/** @type {readonly Period[]} */
const PERIODS = ["hoje", "7-dias", "mes", "mes-passado", "ano", "datas"];
/** Within these bounds the service accepts any period and its previous period. */
const [MIN_DAY, MAX_DAY] = ["2000-01-01", "2089-12-31"];
/** A longer period is shown by month. */
const MAX_DAILY_BARS = 62;
const DAY_MS = 86_400_000;

const BRASILIA = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Sao_Paulo" });

/** The date in Brasília at an instant. @param {number | Date} instant */
export const dayOf = (instant) => BRASILIA.format(instant);

/** @param {string} day @param {number} count */
const addDays = (day, count) =>
  new Date(Date.parse(`${day}T12:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

/** @param {Days} days */
const dayCount = ({ from, to }) => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Whether a text is a valid date within the bounds. @param {string | null} text @returns {text is string} */
const isDay = (text) =>
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
 * @param {string} today
 * @returns {View}
 */
export const readView = (search, today) => {
  const params = new URLSearchParams(search);
  const unit = params.get("unidade") ?? "";
  const [from, to] = [params.get("de"), params.get("ate")];
  const name = params.get("periodo") ?? (from === null && to === null ? "mes" : "datas");
  const period = PERIODS.find((known) => known === name);
  if (period && period !== "datas") return { period, unit, ...daysOf(period, today), isFallback: false };
  return period && isDay(from) && isDay(to) && from <= to
    ? { period, unit, from, to, isFallback: false }
    : { period: "mes", unit, ...daysOf("mes", today), isFallback: true };
};

/** The query string of a view, without defaults. @param {View} view */
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

/** The previous period: the same number of days, just before `from`. @param {Days} days @returns {Days} */
export const previousDays = (days) => ({
  from: addDays(days.from, -dayCount(days)),
  to: addDays(days.from, -1),
});

/**
 * The UTC offset at the start of a day. Until 2019, summer time began at midnight: that day starts at 01:00-02:00,
 * which is 00:00-03:00.
 * @param {string} day
 */
const startOffset = (day) => (dayOf(Date.parse(`${day}T00:00:00-02:00`)) === day ? "-02:00" : "-03:00");

/** @param {Days} days */
const granularityOf = (days) => (dayCount(days) <= MAX_DAILY_BARS ? "dia" : "mes");

/** The query parameters of a period. Both ends are inclusive. @param {Days & { unit: string }} view */
const rangeOf = ({ from, to, unit }) => ({
  data_inicio: `${from}T00:00:00${startOffset(from)}`,
  data_fim: `${to}T23:59:59.999999${startOffset(addDays(to, 1))}`,
  ...(unit && { estabelecimento_id: unit }),
});

/** @param {View} view */
export const panelPath = (view) =>
  `/v1/relatorios/painel?${new URLSearchParams({ ...rangeOf(view), granularidade: granularityOf(view) })}`;

/** @param {View} view */
export const previousPath = (view) =>
  `/v1/relatorios/resumo?${new URLSearchParams(rangeOf({ ...previousDays(view), unit: view.unit }))}`;

/** @param {View} view */
export const isByMonth = (view) => granularityOf(view) === "mes";
