// What periods are called, in a few words.
import { clockTime, dayMonth, monthName, weekdayLong } from "./format.ts";
import { comparedRangeOf } from "./ranges.ts";
import type { EarlierRange } from "./reports.ts";
import { isMonth, wholeOf } from "./series.ts";
import { addDays, dayOf, type Period, type View } from "./view.ts";

const withYear = (day: string) => `${dayMonth(day)}/${day.slice(0, 4)}`;

/** 02/11 a 08/11, with the years that are not today's. */
const shortDays = (from: string, to: string, today: string) => {
  const year = today.slice(0, 4);
  const last = from.startsWith(year) && to.startsWith(year) ? dayMonth(to) : withYear(to);
  if (from === to) return last;
  return `${from.slice(0, 4) === to.slice(0, 4) ? dayMonth(from) : withYear(from)} a ${last}`;
};

const NAMES: Partial<Record<Period, string>> = {
  hoje: "hoje",
  ontem: "ontem",
  "7-dias": "últimos 7 dias",
  "30-dias": "últimos 30 dias",
};

/** novembro; 2026; hoje; últimos 7 dias; 02/11 a 08/11. */
export const periodName = (view: View): string => {
  const name = NAMES[view.period];
  if (name !== undefined) return name;
  const whole = wholeOf(view);
  const { today } = view.clock;
  if (whole === undefined) return shortDays(view.from, view.to, today);
  if (!isMonth(whole)) return whole.from.slice(0, 4);
  return monthName(whole.from, today);
};

/** The earlier day, month or year in full: domingo, 22/11; outubro; 2025. */
export const wholeEarlierName = (earlier: EarlierRange, view: View): string => {
  const { today } = view.clock;
  const from = dayOf(Date.parse(earlier.inicio));
  const whole = wholeOf(view);
  if (whole === undefined) return `${weekdayLong(from)}, ${shortDays(from, from, today)}`;
  // As many days before are no month.
  if (comparedRangeOf(view).comparar === "anterior") return earlierName(earlier, view);
  return isMonth(whole) ? monthName(from, today) : from.slice(0, 4);
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
