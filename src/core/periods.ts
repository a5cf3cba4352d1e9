/** Both ends are inclusive, in UTC with microseconds: `2026-11-01T03:00:00.000000Z`. */
export interface InstantRange {
  data_inicio: string;
  data_fim: string;
}

export const FIRST_YEAR = 1900;
export const LAST_YEAR = 2200;

const DAY = 86_400_000;
let format: Intl.DateTimeFormat | undefined;

/** Local time minus UTC. Brasília is west of Greenwich. Until 1914 its offset had seconds: -03:06:28. */
const offsetAt = (at: number): number => {
  format ??= new Intl.DateTimeFormat("en", { timeZone: "America/Sao_Paulo", timeZoneName: "longOffset" });
  const [, hours, minutes, seconds = 0] = /-(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(at)) ?? [];
  return -1000 * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
};

/** The time on the clock in Brasília, as if it were UTC. */
const localOf = (at: number): number => at + offsetAt(at);

/** The first and the last instant with this local time. A time that clocks skip moves forward, as in Postgres. */
const instantsOf = (local: number): [number, number] => {
  const before = local - offsetAt(local - DAY);
  const after = local - offsetAt(local + DAY);
  if (localOf(before) !== local && localOf(after) !== local) return [before, before];
  return [localOf(before) === local ? before : after, localOf(after) === local ? after : before];
};

const toText = (at: number, fraction: string): string =>
  `${new Date(at).toISOString().slice(0, 19)}.${fraction}Z`;

/** The first instant of a day. A day is the midnight with which it begins in UTC. */
const startOf = (day: number): number => instantsOf(day)[0];

/** The range of the days from `first` to `last`. */
const rangeOfDays = (first: number, last: number): InstantRange => ({
  data_inicio: toText(startOf(first), "000000"),
  data_fim: toText(startOf(last + DAY) - 1000, "999999"),
});

const dayOf = (local: number): number => Math.floor(local / DAY) * DAY;

/** The date and the time of day in Brasília, as `AAAA-MM-DD` and `HH:MM`. @param at epoch milliseconds */
export const clockOf = (at: number): { date: string; time: string } => {
  const text = new Date(localOf(at)).toISOString();
  return { date: text.slice(0, 10), time: text.slice(11, 16) };
};

/** The days from `first` to `last`, counted from today: -1 is yesterday. @param now epoch milliseconds */
export const daysFromToday = (now: number, first: number, last: number): InstantRange => {
  const today = dayOf(localOf(now));
  return rangeOfDays(today + first * DAY, today + last * DAY);
};

type Days = [first: number, last: number];

/** The days of `count` months. `month` counts from 0 and may be outside the year. */
const monthsFrom = (year: number, month: number, count: number): Days => [
  Date.UTC(year, month, 1),
  Date.UTC(year, month + count, 0),
];
const daysFrom = (first: number, count: number): Days => [first, first + (count - 1) * DAY];
const mondayOf = (day: number): number => day - ((new Date(day).getUTCDay() + 6) % 7) * DAY;

const RELATIVE = new Map<string, (today: number, year: number, month: number) => Days>([
  ["hoje", (today) => daysFrom(today, 1)],
  ["ontem", (today) => daysFrom(today - DAY, 1)],
  ["semana", (today) => daysFrom(mondayOf(today), 7)],
  ["semana-passada", (today) => daysFrom(mondayOf(today) - 7 * DAY, 7)],
  ["mes", (_, year, month) => monthsFrom(year, month, 1)],
  ["mes-passado", (_, year, month) => monthsFrom(year, month - 1, 1)],
  ["trimestre", (_, year, month) => monthsFrom(year, month - (month % 3), 3)],
  ["trimestre-passado", (_, year, month) => monthsFrom(year, month - (month % 3) - 3, 3)],
  ["ano", (_, year) => monthsFrom(year, 0, 12)],
  ["ano-passado", (_, year) => monthsFrom(year - 1, 0, 12)],
  ["7-dias", (today) => daysFrom(today - 6 * DAY, 7)],
  ["30-dias", (today) => daysFrom(today - 29 * DAY, 30)],
  ["90-dias", (today) => daysFrom(today - 89 * DAY, 90)],
  ["proximos-7-dias", (today) => daysFrom(today, 7)],
  ["proximos-30-dias", (today) => daysFrom(today, 30)],
]);
export const RELATIVE_PERIODS = [...RELATIVE.keys()];

const CALENDAR = /^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(\d\d))?|-T([1-4])|-S(\d\d))?$/;

/**
 * The days of a year, quarter, month, week or day: `2026`, `2026-T4`, `2026-11`, `2026-S48`, `2026-11-30`.
 * @returns undefined if it does not exist or is not served
 */
const calendarDays = (name: string): Days | undefined => {
  const [, y, m, d, quarter, week] = CALENDAR.exec(name) ?? [];
  const [year, month] = [Number(y), Number(m) - 1];
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR)) return undefined;
  if (d !== undefined) {
    const day = Date.UTC(year, month, Number(d));
    return new Date(day).getUTCDate() === Number(d) ? daysFrom(day, 1) : undefined;
  }
  if (week !== undefined) {
    // ISO 8601: week 1 has 4 January, and a week belongs to the year of its Thursday.
    const monday = mondayOf(Date.UTC(year, 0, 4)) + (Number(week) - 1) * 7 * DAY;
    return new Date(monday + 3 * DAY).getUTCFullYear() === year ? daysFrom(monday, 7) : undefined;
  }
  if (quarter !== undefined) return monthsFrom(year, 3 * Number(quarter) - 3, 3);
  return m === undefined ? monthsFrom(year, 0, 12) : monthsFrom(year, month, 1);
};

/** Whether the text names a year, a quarter, a month, a week or a day. */
export const isCalendarPeriod = (text: string): boolean => calendarDays(text) !== undefined;

/** A valid `periodo` (I7). */
export class Period {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** The range of a year, quarter, month, week or day in full; undefined for a period that moves with today. */
  get fixedRange(): InstantRange | undefined {
    const days = calendarDays(this.name);
    return days && rangeOfDays(...days);
  }

  /** @param now epoch milliseconds @param options.mayLieAhead whether the range may go beyond today */
  resolve(now: number, { mayLieAhead }: { mayLieAhead: boolean }): InstantRange {
    const today = dayOf(localOf(now));
    const date = new Date(today);
    const relative = RELATIVE.get(this.name)?.(today, date.getUTCFullYear(), date.getUTCMonth());
    const [first, last] = relative ?? (calendarDays(this.name) as Days);
    const isCut = !mayLieAhead && first <= today && !this.name.startsWith("proximos-");
    return rangeOfDays(first, isCut ? Math.min(last, today) : last);
  }
}

/** The range of a month. @param text `AAAA-MM` @returns undefined if it is no month of a served year */
export const monthRange = (text: string): InstantRange | undefined =>
  /^\d{4}-\d\d$/.test(text) ? new Period(text).fixedRange : undefined;

/** @returns undefined if no period has this name */
export const parsePeriod = (name: string): Period | undefined =>
  RELATIVE.has(name) || isCalendarPeriod(name) ? new Period(name) : undefined;

const secondOf = (text: string): number => Date.parse(`${text.slice(0, 19)}Z`);
const fractionOf = (text: string): string => text.slice(20, 26);

/** The ends as clients write them. The offset is -03:00 in every year. */
export type AppliedRange = [start: string, end: string];

export const formatRange = ({ data_inicio, data_fim }: InstantRange): AppliedRange => {
  const write = (text: string) => {
    const fraction = fractionOf(text);
    const local = new Date(secondOf(text) - 3 * 3_600_000).toISOString().slice(0, 19);
    return `${local}${fraction === "000000" ? "" : `.${fraction}`}-03:00`;
  };
  return [write(data_inicio), write(data_fim)];
};

export const COMPARISONS = ["anterior", "semana-anterior", "mes-anterior", "ano-anterior"] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** How to find the range to compare with, from the range of the request (R10, R23). */
export interface ComparisonRule {
  comparison: Comparison;
  /** What moves in place of a later end. */
  cutAt: "data-instant" | { instant: string } | undefined;
}

/** The same time on the same or the last day of an earlier month; on its last if it has no such day. */
const monthsEarlier = (local: number, months: number, onto: "same day" | "last day"): number => {
  const date = new Date(local);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() - months];
  const last = Date.UTC(year, month + 1, 0);
  const day = onto === "last day" ? last : Math.min(last, Date.UTC(year, month, date.getUTCDate()));
  return day + local - dayOf(local);
};

/** The local time of an end. The first instant of a day counts as midnight, also if clocks skipped it (R23). */
const readEnd = (text: string): { local: number; startsDay: boolean } => {
  const local = localOf(secondOf(text));
  const startsDay = secondOf(text) === startOf(dayOf(local)) && fractionOf(text) === "000000";
  return { local: startsDay ? dayOf(local) : local, startsDay };
};

const isFirstDay = (day: number): boolean => new Date(day).getUTCDate() === 1;
const MONTHS = new Map<Comparison, number>([
  ["mes-anterior", 1],
  ["ano-anterior", 12],
]);

/** Whether the comparison moves a range by days, and not by months. */
export const movesByDays = (kind: Comparison): boolean => !MONTHS.has(kind);

/**
 * The range to compare with, by the calendar and the clock of Brasília (R10). It may be outside the served years. The
 * SQL functions `earlier_start` and `earlier_end` move ends in the same way.
 */
export const earlierRange = (kind: Comparison, range: InstantRange): InstantRange => {
  const { local: start } = readEnd(range.data_inicio);
  const { local: end, startsDay: endStartsDay } = readEnd(range.data_fim);
  const hasWholeMonths = isFirstDay(start) && isFirstDay(end + DAY);
  const days = kind === "anterior" ? dayOf(end) - dayOf(start) + DAY : 7 * DAY;
  const months = MONTHS.get(kind);
  const move = (local: number, onto: "same day" | "last day") =>
    months === undefined ? local - days : monthsEarlier(local, months, onto);
  const [first, last] = instantsOf(move(end, hasWholeMonths ? "last day" : "same day"));
  return {
    data_inicio: toText(instantsOf(move(start, "same day"))[0], fractionOf(range.data_inicio)),
    data_fim: toText(endStartsDay ? first : last, fractionOf(range.data_fim)),
  };
};

/** The current minute, if the range starts before it and ends after now. @param now epoch milliseconds */
export const minuteWithin = (range: InstantRange, now: number): string | undefined => {
  const minute = toText(Math.floor(now / 60_000) * 60_000, "000000");
  return range.data_inicio < minute && Date.parse(range.data_fim) > now ? minute : undefined;
};

const endDays = ({ data_inicio, data_fim }: InstantRange): Days => [
  dayOf(localOf(secondOf(data_inicio))),
  dayOf(localOf(secondOf(data_fim))),
];

/** Moves an end within the last second of a day to the end of that day: clients write that second in many ways. */
export const untilDayEnd = (end: string): string => {
  const day = dayOf(localOf(secondOf(end)));
  const { data_fim } = rangeOfDays(day, day);
  return secondOf(end) === secondOf(data_fim) ? data_fim : end;
};

/** Whether the range is whole months of Brasília, up to the second. */
export const isWholeMonths = (range: InstantRange): boolean => {
  const [first, last] = endDays(range);
  const { data_inicio, data_fim } = rangeOfDays(first, last);
  const isWholeDays = range.data_inicio === data_inicio && untilDayEnd(range.data_fim) === data_fim;
  return isFirstDay(first) && isFirstDay(last + DAY) && isWholeDays && first <= last;
};

/** Whether both ends are in the years that are served, in Brasília. */
export const isServed = ({ data_inicio, data_fim }: InstantRange): boolean => {
  const years = [data_inicio, data_fim].map((text) => new Date(localOf(secondOf(text))).getUTCFullYear());
  return years.every((year) => year >= FIRST_YEAR && year <= LAST_YEAR);
};
