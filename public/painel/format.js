// Formats numbers for pt-BR, and dates in Brasília time. Comments show an example of the result.
import { dayOf } from "./view.js";

const ZONE = { timeZone: "America/Sao_Paulo" };
const MONEY = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
const SIGNED_MONEY = new Intl.NumberFormat("pt-BR", {
  style: "currency",
  currency: "BRL",
  signDisplay: "exceptZero",
});
const SHORT_MONEY = new Intl.NumberFormat("pt-BR", {
  style: "currency",
  currency: "BRL",
  notation: "compact",
  maximumFractionDigits: 2,
  minimumFractionDigits: 0,
});
const NUMBER = new Intl.NumberFormat("pt-BR", { maximumFractionDigits: 20 });
const PERCENT = new Intl.NumberFormat("pt-BR", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const CHANGE = new Intl.NumberFormat("pt-BR", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});
const POINTS = new Intl.NumberFormat("pt-BR", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});
const FEE = new Intl.NumberFormat("pt-BR", {
  style: "percent",
  minimumFractionDigits: 2,
  maximumFractionDigits: 10,
});
const LONG_DAY = new Intl.DateTimeFormat("pt-BR", { dateStyle: "long", timeZone: "UTC" });
const SHORT_DAY = new Intl.DateTimeFormat("pt-BR", {
  weekday: "short",
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
  timeZone: "UTC",
});
const MONTH = new Intl.DateTimeFormat("pt-BR", { month: "long", year: "numeric", timeZone: "UTC" });
const SHORT_MONTH = new Intl.DateTimeFormat("pt-BR", { month: "short", timeZone: "UTC" });
const WEEKDAY = new Intl.DateTimeFormat("pt-BR", { weekday: "short", timeZone: "UTC" });
const DAY_MONTH = new Intl.DateTimeFormat("pt-BR", { day: "2-digit", month: "2-digit", timeZone: "UTC" });
const DAY = new Intl.DateTimeFormat("pt-BR", { dateStyle: "short", ...ZONE });
const TIME = new Intl.DateTimeFormat("pt-BR", { timeStyle: "short", ...ZONE });
const INSTANT = new Intl.DateTimeFormat("pt-BR", { dateStyle: "short", timeStyle: "short", ...ZONE });
const AGO = new Intl.RelativeTimeFormat("pt-BR", { numeric: "always" });

/** R$ 12,50. @param {number} reais */
export const money = (reais) => MONEY.format(reais);
/** A difference: +R$ 12,50. @param {number} reais */
export const signedMoney = (reais) => SIGNED_MONEY.format(reais);
/** For an axis: R$ 12 mil. @param {number} reais */
export const shortMoney = (reais) => SHORT_MONEY.format(reais);
/** A count or a quantity, unrounded. @param {number} value */
export const number = (value) => NUMBER.format(value);
/** 1 atendimento, 2 atendimentos. @param {number} value @param {string} one @param {string} many */
export const counted = (value, one, many) => `${number(value)} ${value === 1 ? one : many}`;
/** For a file: 12.345 becomes 12.3. @param {number} value */
export const oneDecimal = (value) => Math.round(value * 10) / 10;
/** A fee, unrounded: 0.0299 becomes 2,99%. @param {number | null} fraction */
export const fee = (fraction) => (fraction === null ? "—" : FEE.format(fraction));

/** 2 of 3 becomes 66,7%; "—" if the total is 0. @param {number} part @param {number} total */
export const share = (part, total) => (total === 0 ? "—" : PERCENT.format(part / total));

/** An amount has at most two decimals: in centavos it is an integer, so that sums and differences are exact. */
export const centavos = (/** @type {number} */ reais) => Math.round(reais * 100);

/** Average per visit, rounded to centavos; undefined without visits. @param {number} reais @param {number} visits */
export const average = (reais, visits) =>
  visits === 0 ? undefined : Math.round(centavos(reais) / visits) / 100;

/**
 * Relative change of an amount or a count: 80 to 100 becomes +25,0%. Undefined without a positive previous value.
 * @param {number | undefined} now
 * @param {number | undefined} previous
 */
export const change = (now, previous) =>
  now === undefined || previous === undefined || previous <= 0
    ? undefined
    : CHANGE.format((centavos(now) - centavos(previous)) / centavos(previous));

/** @typedef {[part: number, total: number]} Fraction counts */

/**
 * Difference of two fractions in percentage points: 1/4 to 1/2 becomes +25,0 p.p. Undefined if a total is 0.
 * Multiplies the integer counts, so that only the result is rounded.
 * @param {Fraction} now
 * @param {Fraction} previous
 */
export const points = ([part, total], [oldPart, oldTotal]) =>
  total === 0 || oldTotal === 0
    ? undefined
    : `${POINTS.format((100 * (part * oldTotal - oldPart * total)) / (total * oldTotal))} p.p.`;

/** Postgres allows dates that `Date` cannot parse: infinity, five-digit years. @param {Intl.DateTimeFormat} format @param {Date} at */
const formatDate = (format, at) => (Number.isNaN(at.getTime()) ? "data inválida" : format.format(at));

const atNoon = (/** @type {string} */ day) => new Date(`${day}T12:00:00Z`);
const ordinal = (/** @type {string} */ text) => text.replace(/^1(?= |$)/, "1º");
/** 1º de novembro de 2026. @param {string} day */
export const longDay = (day) => ordinal(formatDate(LONG_DAY, atNoon(day)));
/** dom., 01/11/2026. @param {string} day */
export const shortDay = (day) => formatDate(SHORT_DAY, atNoon(day));
/** novembro de 2026. @param {string} day */
const month = (day) => formatDate(MONTH, atNoon(day));
/** nov. @param {string} day */
export const shortMonth = (day) => formatDate(SHORT_MONTH, atNoon(day));

/** 1 is Monday, 7 is Sunday, as in the service. @param {string} day */
export const weekday = (day) => atNoon(day).getUTCDay() || 7;
/** seg., for 1. @param {number} number */
export const weekdayName = (number) => formatDate(WEEKDAY, atNoon(`2024-01-0${number}`));
/** seg. @param {string} day */
export const shortWeekday = (day) => formatDate(WEEKDAY, atNoon(day)).replace(".", "");
/** 05/11. @param {string} day */
const dayMonth = (day) => formatDate(DAY_MONTH, atNoon(day));

/** @param {import("./view.js").Days} days */
export const days = ({ from, to }) => {
  if (from === to) return longDay(from);
  if (from.slice(0, 7) === to.slice(0, 7))
    return `${ordinal(String(Number(from.slice(8))))} a ${longDay(to)}`;
  const first = from.slice(0, 4) === to.slice(0, 4) ? longDay(from).replace(/ de \d+$/, "") : longDay(from);
  return `${first} a ${longDay(to)}`;
};

const isToday = (/** @type {Date} */ at) => dayOf(at) === dayOf(Date.now());
/** 22/11/2026 às 14:32. @param {Date} at */
const dayAndTime = (at) => `${DAY.format(at)} às ${TIME.format(at)}`;
/** 14:32; on another day 22/11/2026 às 14:32. @param {Date} at */
export const time = (at) => (isToday(at) ? TIME.format(at) : dayAndTime(at));
/** 14h32. @param {number} at */
export const clockTime = (at) => TIME.format(at).replace(":", "h");
/** às 14:32; on another day em 22/11/2026 às 14:32. @param {Date} at */
export const atTime = (at) => `${isToday(at) ? "às" : "em"} ${time(at)}`;
/** 22/11/2026, 14:32. @param {string | Date} at */
export const instant = (at) => formatDate(INSTANT, new Date(at));

/**
 * What a bar shows: 9h às 10h; seg., 02/11/2026; 02/11 a 08/11/2026; novembro de 2026.
 * @param {{ from: string, to: string, hour?: number }} bar
 * @param {import("./ranges.js").Step} step
 */
export const barName = ({ from, to, hour = 0 }, step) => {
  if (step === "hora") return `${hour}h às ${hour + 1}h`;
  if (step === "dia" || from === to) return shortDay(from);
  return step === "mes" ? month(from) : `${dayMonth(from)} a ${dayMonth(to)}/${to.slice(0, 4)}`;
};

/** há 35 min; há 1h05. @param {number} seconds */
export const shortAgo = (seconds) => {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return "agora mesmo";
  if (minutes < 60) return `há ${minutes} min`;
  if (minutes < 48 * 60) return `há ${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}`;
  return `há ${Math.floor(minutes / 1440)} dias`;
};

/** há 35 minutos. @param {number} seconds */
export const ago = (seconds) => {
  if (seconds < 60) return "há menos de um minuto";
  if (seconds < 3600) return AGO.format(-Math.floor(seconds / 60), "minute");
  if (seconds < 48 * 3600) return AGO.format(-Math.floor(seconds / 3600), "hour");
  return AGO.format(-Math.floor(seconds / 86_400), "day");
};
