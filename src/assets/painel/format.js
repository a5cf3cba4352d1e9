// Numbers and dates as Brazil writes them, days and times as Brasília has them.
import { dayOf } from "./view.js";

const ZONE = { timeZone: "America/Sao_Paulo" };
const MONEY = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
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
const DAY = new Intl.DateTimeFormat("pt-BR", { dateStyle: "short", ...ZONE });
const TIME = new Intl.DateTimeFormat("pt-BR", { timeStyle: "short", ...ZONE });
const INSTANT = new Intl.DateTimeFormat("pt-BR", { dateStyle: "short", timeStyle: "short", ...ZONE });
const AGO = new Intl.RelativeTimeFormat("pt-BR", { numeric: "always" });

/** In reais. @param {number} reais */
export const money = (reais) => MONEY.format(reais);
/** For an axis: R$ 12 mil. @param {number} reais */
export const shortMoney = (reais) => SHORT_MONEY.format(reais);
/** A count, or a quantity with all its digits. @param {number} value */
export const number = (value) => NUMBER.format(value);
/** 1 atendimento, 2 atendimentos. @param {number} value @param {string} one @param {string} many */
export const counted = (value, one, many) => `${number(value)} ${value === 1 ? one : many}`;
/** A fee as the service tells it: 0.0299 is 2,99 %. @param {number | null} fraction */
export const fee = (fraction) => (fraction === null ? "—" : FEE.format(fraction));

/** A part of a whole, to one decimal; of nothing there is none. @param {number} part @param {number} whole */
export const share = (part, whole) => (whole === 0 ? "—" : PERCENT.format(part / whole));

// Money has two decimals and a count none: as whole hundredths both are subtracted and divided without losing any.
const hundredths = (/** @type {number} */ value) => Math.round(value * 100);

/** The average of a visit, rounded to centavos; of none there is none. @param {number} reais @param {number} visits */
export const average = (reais, visits) =>
  visits === 0 ? undefined : Math.round(hundredths(reais) / visits) / 100;

/**
 * How much more or less than before, money or a count, to one decimal of a percent; undefined where that says nothing.
 * @param {number | undefined} now
 * @param {number | undefined} before
 */
export const change = (now, before) =>
  now === undefined || before === undefined || before <= 0
    ? undefined
    : CHANGE.format((hundredths(now) - hundredths(before)) / hundredths(before));

/** A part of a whole. @typedef {[part: number, whole: number]} Fraction */

/**
 * The difference of two fractions in percentage points, rounded once: counts are whole, and multiplied they still are.
 * Undefined where one is of nothing.
 * @param {Fraction} now
 * @param {Fraction} before
 */
export const points = ([part, whole], [partThen, wholeThen]) =>
  whole === 0 || wholeThen === 0
    ? undefined
    : `${POINTS.format((100 * (part * wholeThen - partThen * whole)) / (whole * wholeThen))} p.p.`;

/** Postgres has dates that a browser cannot read: infinity, and years of five digits. @param {Intl.DateTimeFormat} format @param {Date} at */
const written = (format, at) => (Number.isNaN(at.getTime()) ? "data inválida" : format.format(at));

const atNoon = (/** @type {string} */ day) => new Date(`${day}T12:00:00Z`);
const ordinal = (/** @type {string} */ text) => text.replace(/^1(?= |$)/, "1º");
/** 1º de novembro de 2026. @param {string} day */
export const longDay = (day) => ordinal(written(LONG_DAY, atNoon(day)));
/** dom., 01/11/2026. @param {string} day */
export const shortDay = (day) => written(SHORT_DAY, atNoon(day));
/** novembro de 2026. @param {string} day */
export const month = (day) => written(MONTH, atNoon(day));
/** nov. @param {string} day */
export const shortMonth = (day) => written(SHORT_MONTH, atNoon(day));

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
export const dayAndTime = (at) => `${DAY.format(at)} às ${TIME.format(at)}`;
/** 14:32, of another day with its date. @param {Date} at */
export const time = (at) => (isToday(at) ? TIME.format(at) : dayAndTime(at));
/** às 14:32, of another day with its date. @param {Date} at */
export const atTime = (at) => `${isToday(at) ? "às" : "em"} ${time(at)}`;
/** 22/11/2026, 14:32. @param {string | Date} at */
export const instant = (at) => written(INSTANT, new Date(at));

/** há 35 minutos. @param {number} seconds that have passed */
export const ago = (seconds) => {
  if (seconds < 60) return "há menos de um minuto";
  if (seconds < 3600) return AGO.format(-Math.floor(seconds / 60), "minute");
  if (seconds < 48 * 3600) return AGO.format(-Math.floor(seconds / 3600), "hour");
  return AGO.format(-Math.floor(seconds / 86_400), "day");
};
