// What periods are called, in a few words.
import { clockTime, dayMonth, monthName, weekdayLong } from "./format.ts";
import type { EarlierRange } from "./reports.ts";
import { isMonth, wholeOf } from "./series.ts";
import { addDays, dayOf, type View } from "./view.ts";

const withYear = (day: string) => `${dayMonth(day)}/${day.slice(0, 4)}`;

/** 02/11 a 08/11, with the years that are not today's. */
const shortDays = (from: string, to: string, today: string) => {
  const year = today.slice(0, 4);
  const last = from.startsWith(year) && to.startsWith(year) ? dayMonth(to) : withYear(to);
  if (from === to) return last;
  return `${from.slice(0, 4) === to.slice(0, 4) ? dayMonth(from) : withYear(from)} a ${last}`;
};

/** novembro; 2026; hoje; 7 dias; 02/11 a 08/11. */
export const periodName = (view: View): string => {
  if (view.period === "hoje") return "hoje";
  if (view.period === "7-dias") return "últimos 7 dias";
  const whole = wholeOf(view);
  const { today } = view.clock;
  if (whole === undefined) return shortDays(view.from, view.to, today);
  if (!isMonth(whole)) return whole.from.slice(0, 4);
  return monthName(whole.from, today);
};

/** What the figures are compared with, until the data ends: outubro até o dia 25, 11h04. */
export const earlierName = ({ inicio, fim, ate }: EarlierRange, { clock: { today } }: View): string => {
  const [from, to] = [dayOf(Date.parse(inicio)), dayOf(Date.parse(fim))];
  const next = Date.parse(fim) + 1;
  // Today's range ends with its hour, also if the data reaches beyond it.
  const isCut = ate !== null || dayOf(next) === to;
  const end = clockTime(next);
  const hour = isCut ? `, ${end}` : "";
  if (from === to) return `${weekdayLong(from)}, ${shortDays(from, to, today)}${isCut ? ` até ${end}` : ""}`;
  const isYear = from.endsWith("-01-01") && from.slice(0, 4) === to.slice(0, 4) && !isMonth({ from, to });
  if (isYear) return `${from.slice(0, 4)}${to.endsWith("12-31") ? "" : ` até ${dayMonth(to)}`}${hour}`;
  if (from.endsWith("-01") && isMonth({ from, to })) {
    const isWhole = addDays(to, 1).endsWith("-01") && !isCut;
    return `${monthName(from, today)}${isWhole ? "" : ` até o dia ${Number(to.slice(8))}`}${hour}`;
  }
  return `${shortDays(from, to, today)}${hour}`;
};
