// Formats numbers for pt-BR, and dates in Brasília time. Comments show an example of the result.
import { serviceNow } from "../service-clock.ts";
import type { Step } from "./ranges.ts";
import { addDays, type Days, dayOf } from "./view.ts";

const ZONE = { timeZone: "America/Sao_Paulo" };
/** A minus, which is as wide as a plus, in place of a hyphen. */
export const withMinus = (text: string) => text.replace("-", "−");
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

/** For a headline beside its centavos: R$ 12.345. Rounded. */
const ROUND_MONEY = new Intl.NumberFormat("pt-BR", {
  style: "currency",
  currency: "BRL",
  maximumFractionDigits: 0,
});
export const roundMoney = (reais: number) => withMinus(ROUND_MONEY.format(reais));
/** R$ 12,50; −R$ 12,50. */
export const money = (reais: number) => withMinus(MONEY.format(reais));
/** A difference: +R$ 12,50; −R$ 12,50. */
export const signedMoney = (reais: number) => withMinus(SIGNED_MONEY.format(reais));
/** For an axis: R$ 12 mil. */
export const shortMoney = (reais: number) => withMinus(SHORT_MONEY.format(reais));
/** A count or a quantity, unrounded. */
export const number = (value: number) => withMinus(NUMBER.format(value));
/** 1 atendimento, 2 atendimentos. */
export const counted = (value: number, one: string, many: string) =>
  `${number(value)} ${value === 1 ? one : many}`;
/** For a file: 12.345 becomes 12.3. */
export const oneDecimal = (value: number) => Math.round(value * 10) / 10;

/** 2 of 3 becomes 66,7%; "—" if the total is 0. */
export const share = (part: number, total: number) =>
  total === 0 ? "—" : withMinus(PERCENT.format(part / total));

/** Whether a share says something: beside a part below zero, another one would be more than all. */
export const isPart = (part: number, whole: number) => whole > 0 && part >= 0 && part <= whole;

/** The share of a part in the sum of all parts, like `share`; "—" if it is none. */
export const partShare = (part: number, whole: number) => (isPart(part, whole) ? share(part, whole) : "—");

/** An amount has at most two decimals: in centavos it is an integer, so that sums and differences are exact. */
export const centavos = (reais: number) => Math.round(reais * 100);

/** Average per visit, rounded to centavos; undefined without visits. */
export const average = (reais: number, visits: number) =>
  visits === 0 ? undefined : Math.round(centavos(reais) / visits) / 100;

/** Relative change of an amount or a count: 80 to 100 becomes +25,0%. Undefined without a positive previous value. */
export const change = (now: number | undefined, previous: number | undefined) =>
  now === undefined || previous === undefined || previous <= 0
    ? undefined
    : CHANGE.format((centavos(now) - centavos(previous)) / centavos(previous));

/** Postgres allows dates that `Date` cannot parse: infinity, five-digit years. */
const formatDate = (format: Intl.DateTimeFormat, at: Date) =>
  Number.isNaN(at.getTime()) ? "data inválida" : format.format(at);

const atNoon = (day: string) => new Date(`${day}T12:00:00Z`);
const ordinal = (text: string) => text.replace(/^1(?= |$)/, "1º");
/** 1º de novembro de 2026. */
export const longDay = (day: string) => ordinal(formatDate(LONG_DAY, atNoon(day)));
/** dom., 01/11/2026. */
export const shortDay = (day: string) => formatDate(SHORT_DAY, atNoon(day));
/** novembro de 2026. */
const month = (day: string) => formatDate(MONTH, atNoon(day));
const MONTH_ONLY = new Intl.DateTimeFormat("pt-BR", { month: "long", timeZone: "UTC" });
/** novembro; of another year than today's novembro de 2025. */
export const monthName = (day: string, today: string) =>
  day.slice(0, 4) === today.slice(0, 4) ? formatDate(MONTH_ONLY, atNoon(day)) : month(day);
/** nov. */
export const shortMonth = (day: string) => formatDate(SHORT_MONTH, atNoon(day));

const LONG_WEEKDAY = new Intl.DateTimeFormat("pt-BR", { weekday: "long", timeZone: "UTC" });
/** segunda-feira. */
export const weekdayLong = (day: string) => formatDate(LONG_WEEKDAY, atNoon(day));
/** seg. */
export const shortWeekday = (day: string) => formatDate(WEEKDAY, atNoon(day)).replace(".", "");
/** 05/11. */
export const dayMonth = (day: string) => formatDate(DAY_MONTH, atNoon(day));

export const days = ({ from, to }: Days) => {
  if (from === to) return longDay(from);
  if (from.slice(0, 7) === to.slice(0, 7))
    return `${ordinal(String(Number(from.slice(8))))} a ${longDay(to)}`;
  const first = from.slice(0, 4) === to.slice(0, 4) ? longDay(from).replace(/ de \d+$/, "") : longDay(from);
  return `${first} a ${longDay(to)}`;
};

/** 05/01/2024, of a day or an instant. */
export const date = (at: string) => formatDate(DAY, new Date(at.length === 10 ? `${at}T12:00:00Z` : at));

const isToday = (at: Date) => dayOf(at) === dayOf(serviceNow());
/** 22/11/2026 às 14:32. */
const dayAndTime = (at: Date) => `${DAY.format(at)} às ${TIME.format(at)}`;
const isYesterday = (at: Date) => dayOf(at) === addDays(dayOf(serviceNow()), -1);
/** 14:32; ontem às 14:32; on another day 22/11/2026 às 14:32. */
export const time = (at: Date) => {
  if (isToday(at)) return TIME.format(at);
  return isYesterday(at) ? `ontem às ${TIME.format(at)}` : dayAndTime(at);
};
/** 14h32. */
export const clockTime = (at: number) => TIME.format(at).replace(":", "h");
/** às 14:32; on another day em 22/11/2026 às 14:32. */
export const atTime = (at: Date) => `${isToday(at) ? "às" : "em"} ${time(at)}`;
/** 22/11/2026, 14:32. */
export const instant = (at: string | Date) => formatDate(INSTANT, new Date(at));

/** What a bar shows: 9h às 10h; seg., 02/11/2026; 02/11 a 08/11/2026; novembro de 2026. */
export const barName = ({ from, to, hour = 0 }: Days & { hour?: number }, step: Step) => {
  if (step === "hora") return `${hour}h às ${hour + 1}h`;
  if (step === "dia" || from === to) return shortDay(from);
  return step === "mes" ? month(from) : `${dayMonth(from)} a ${dayMonth(to)}/${to.slice(0, 4)}`;
};

/** há 35 min; há 1h05. */
export const shortAgo = (seconds: number) => {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return "agora mesmo";
  if (minutes < 60) return `há ${minutes} min`;
  if (minutes < 48 * 60) return `há ${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}`;
  return `há ${Math.floor(minutes / 1440)} dias`;
};

/** há 35 minutos. */
export const ago = (seconds: number) => {
  if (seconds < 60) return "há menos de um minuto";
  if (seconds < 3600) return AGO.format(-Math.floor(seconds / 60), "minute");
  if (seconds < 48 * 3600) return AGO.format(-Math.floor(seconds / 3600), "hour");
  return AGO.format(-Math.floor(seconds / 86_400), "day");
};
