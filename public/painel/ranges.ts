// Turns a view into the ranges that the service reads: the period, and the one to compare it with.
import { serviceNow } from "../service-clock.ts";
import { reportPath, rowsPath } from "./reports.ts";
import {
  addDays,
  clockAt,
  type Days,
  dayCount,
  dayOf,
  elapsedDays,
  isFuture,
  type View,
  wholeDays,
} from "./view.ts";

export type Comparison = "anterior" | "semana-anterior" | "mes-anterior" | "ano-anterior";
/** What one bar of the chart shows. */
export type Step = RowStep | "semana";
export type RowStep = "hora" | "dia" | "mes";
/** The parameters of a range of instants, both included. */
type Range = { data_inicio: string; data_fim: string };
/** The same of one unit, or of all. */
type UnitRange = Range & { estabelecimento_id?: string };

/** More days are shown by week, and more than two years by month. */
const [MAX_DAILY_BARS, MAX_WEEKLY_DAYS] = [62, 731];

const isFirst = (day: string) => day.endsWith("-01");
const isLast = (day: string) => isFirst(addDays(day, 1));

/** What a manager compares the period with; undefined if nothing, as before it begins. */
const comparisonOf = (view: View): Comparison | undefined => {
  if (view.compared === "nada" || isFuture(view)) return undefined;
  if (view.compared === "ano") return "ano-anterior";
  const { period, from, to } = view;
  // On 1 January, this month and this year are one day, too.
  if (period !== "mes" && period !== "ano" && from === to) return "semana-anterior";
  if (period === "7-dias" || period === "semana-passada" || period === "30-dias") return "anterior";
  if (period === "ano" || (from.endsWith("-01-01") && to === `${from.slice(0, 4)}-12-31`))
    return "ano-anterior";
  const isMonth = isFirst(from) && isLast(to) && from.slice(0, 7) === to.slice(0, 7);
  return period !== "datas" || isMonth ? "mes-anterior" : "anterior";
};

/** Whether a view is of whole months that the data has passed. Others may show which visits are of one client (R24). */
export const areMonthsOver = (view: View, dataUntil: number | undefined): boolean => {
  const { from, to } = elapsedDays(view);
  return isFirst(from) && isLast(to) && to < (dataUntil === undefined ? view.clock.today : dayOf(dataUntil));
};

/**
 * The UTC offset at the start of a day. Until 2019, summer time began at midnight: that day starts at 01:00-02:00,
 * which is 00:00-03:00.
 */
const startOffset = (day: string): string =>
  dayOf(Date.parse(`${day}T00:00:00-02:00`)) === day ? "-02:00" : "-03:00";

const startOf = (day: string) => `${day}T00:00:00${startOffset(day)}`;
const endOf = (day: string): string => `${day}T23:59:59.999999${startOffset(addDays(day, 1))}`;

/** The parameters of a range of days, both included. */
export const rangeOfDays = ({ from, to }: Days, unit = ""): UnitRange => ({
  data_inicio: startOf(from),
  data_fim: endOf(to),
  ...(unit && { estabelecimento_id: unit }),
});

const hourOf = (hour: number) => String(hour).padStart(2, "0");

/** One hour of a day, by the clock of its noon. */
export const rangeOfHour = (day: string, hour: number): Range => {
  const offset = clockAt(Date.parse(`${day}T12:00:00-03:00`)).hour === 12 ? "-03:00" : "-02:00";
  const at = `${day}T${hourOf(hour)}`;
  return { data_inicio: `${at}:00:00${offset}`, data_fim: `${at}:59:59.999999${offset}` };
};

/** Whether the period is today and nothing else. */
export const isToday = ({ from, to, clock }: View): boolean => from === clock.today && to === clock.today;

/** The parameters of the period. Today ends with the current hour. */
export const rangeOf = (view: View): UnitRange => {
  const days = elapsedDays(view);
  return {
    ...rangeOfDays(days, view.unit),
    ...(isToday(view) && { data_fim: rangeOfHour(days.to, view.clock.hour).data_fim }),
  };
};

/** The same, with the comparison. The service chooses the earlier range. */
export const comparedRangeOf = (view: View): UnitRange & { comparar: Comparison | undefined } => ({
  ...rangeOf(view),
  comparar: comparisonOf(view),
});

/** The due dates from one day to another, both included; without one, from the first or to the last. */
export const dueRange = ({ from, to }: Partial<Days>): Partial<Range> => ({
  ...(from && { data_inicio: startOf(from) }),
  ...(to && { data_fim: endOf(to) }),
});

/** The due days of the payments that are overdue, and of those due within 7 and 30 days. Today is the first. */
export const dueDays = ({
  clock: { today },
}: View): { overdue: { to: string }; week: Days; month: Days } => ({
  overdue: { to: addDays(today, -1) },
  week: { from: today, to: addDays(today, 6) },
  month: { from: today, to: addDays(today, 29) },
});

const DAY_MS = 86_400_000;

/** Without a completed import, the data reach this minute (R23). */
export const minuteNow = (): number => Math.floor(serviceNow() / 60_000) * 60_000;

/** What waits for more than a day, and not for more than 60, at the instant until which the data reach (R7). */
export const waitingRange = (dataUntil: number): Range => ({
  // A microsecond later: what waits for 60 days is older.
  data_inicio: new Date(dataUntil - 60 * DAY_MS).toISOString().replace("Z", "001Z"),
  data_fim: new Date(dataUntil - DAY_MS).toISOString(),
});

/** What one bar shows. On their first day, a month and a year are a day, too. */
export const stepOf = (view: View): Step => {
  const count = dayCount(elapsedDays(view));
  if (count === 1) return view.period === "mes" || view.period === "ano" ? "dia" : "hora";
  if (count <= MAX_DAILY_BARS) return "dia";
  return count <= MAX_WEEKLY_DAYS ? "semana" : "mes";
};

/** The dimension of the service's rows behind the bars: weeks are put together from days. */
export const rowStepOf = (view: View): RowStep => {
  const step = stepOf(view);
  return step === "semana" ? "dia" : step;
};

/**
 * How many weeks before each day of the bars has its mark, where the comparison is with another weekday; undefined if it
 * is with the same one, or the bars are no days.
 */
export const weeksBack = (view: View): number | undefined => {
  const comparison = comparisonOf(view);
  if (comparison === undefined || stepOf(view) !== "dia") return undefined;
  if (comparison === "ano-anterior") return 52;
  const isOfWeeks = comparison === "anterior" && dayCount(elapsedDays(view)) % 7 === 0;
  return isOfWeeks || comparison === "semana-anterior" ? undefined : 4;
};

/**
 * Requests this month and this year by name, so that the service compares with the whole earlier one. The fragment is
 * not sent: it separates the answers of two days.
 */
const named = ({ period, clock: { today } }: View) =>
  period === "mes" || period === "ano" ? { range: { periodo: period }, fragment: `#${today}` } : undefined;

/** Início's report. */
export const panelPath = (view: View): string => {
  const { estabelecimento_id, comparar, ...ends } = comparedRangeOf(view);
  const { range = ends, fragment = "" } = named(view) ?? {};
  const query = { ...range, estabelecimento_id, comparar, granularidade: rowStepOf(view) };
  return reportPath("painel", query) + fragment;
};

/** A report of the period by due dates: also of the days to come. */
export const duePath = (report: string, view: View, query: Record<string, string>): string => {
  const { range = rangeOfDays(wholeDays(view)), fragment = "" } = named(view) ?? {};
  const place = { estabelecimento_id: view.unit || undefined, comparar: comparisonOf(view) };
  return rowsPath(report, { ...range, ...place, ...query }) + fragment;
};
