// Series for the charts: running totals of a month or a year, and bars of other periods. Sums are of whole centavos.
import { isNothing } from "./comparison.ts";
import { barName, centavos, dayMonth, money, shortMonth, shortWeekday } from "./format.ts";
import { type Comparison, comparedRangeOf, rowStepOf, stepOf, weeksBack } from "./ranges.ts";
import { type EarlierRange, isWhole, type PanelBody, type Step } from "./reports.ts";
import { addDays, type Days, dayCount, dayOf, elapsedDays, lastOfMonth, type View, weekday } from "./view.ts";

/** One step of a chart. */
export interface Point {
  /** Its name: a day, a month or an hour. */
  name: string;
  /** Its name below the axis; "" if there is none. */
  tick: string;
  value: number | undefined;
  earlier?: number | undefined;
}

/** 29/11: R$ 120,00, antes R$ 100,00. @param when in place of "antes" */
export const pointText = (point: Point | undefined, when = "antes"): string => {
  const { name = "", value, earlier } = point ?? {};
  const now = value === undefined ? "" : money(value);
  const before = earlier === undefined ? "" : `${when} ${money(earlier)}`;
  return `${name}: ${now && before ? `${now}, ${before}` : now || before || "sem dados"}`;
};

type Row = Step & { valor_total: number; anterior?: { valor_total: number } };

const firstDay = (row: Step): string => row.dia ?? row.mes ?? "";

export const sumOf = <Row>(rows: readonly Row[], amountOf: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + centavos(amountOf(row)), 0) / 100;

/** The periods that can be a whole month or year. Others may have the same days by chance. */
const WHOLE = ["mes", "mes-passado", "ano", "datas"];

/** The whole month or year that a view is of; undefined if it is of other days. */
export const wholeOf = ({ period, from, to, clock: { today } }: View): Days | undefined => {
  if (!WHOLE.includes(period) || (period === "datas" && from === to)) return undefined;
  const until = to === today;
  const monthEnd = lastOfMonth(from);
  // In January, this year is not the month.
  if (period !== "ano" && from.endsWith("-01") && (to === monthEnd || (until && to <= monthEnd)))
    return { from, to: monthEnd };
  const yearEnd = `${from.slice(0, 4)}-12-31`;
  if (from.endsWith("-01-01") && (to === yearEnd || (until && to <= yearEnd))) return { from, to: yearEnd };
  return undefined;
};

export const isMonth = ({ from, to }: Days): boolean => from.slice(0, 7) === to.slice(0, 7);

const MONTHS_BACK: Partial<Record<Comparison, number>> = { "mes-anterior": 1, "ano-anterior": 12 };

/** The same date in an earlier month, which may be too short for it: 2026-02-30. */
export const monthsBefore = (day: string, count: number): string => {
  const month = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 - count;
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}${day.slice(7)}`;
};

/** The earlier day that a day is compared with: as far back as the range moved (R23). */
const earlierDay = (view: View, { inicio }: EarlierRange): ((day: string) => string) => {
  const months = MONTHS_BACK[comparedRangeOf(view).comparar ?? "anterior"];
  const days = dayCount({ from: dayOf(Date.parse(inicio)), to: view.from }) - 1;
  return (day) => (months === undefined ? addDays(day, -days) : monthsBefore(day, months));
};

/** The running total of rows until a day; undefined after the last one. */
const totalsOf = (rows: readonly Row[]): ((day: string) => number | undefined) => {
  const totals = new Map<string, number>();
  let sum = 0;
  for (const row of rows) {
    sum += centavos(row.valor_total);
    totals.set(firstDay(row), sum / 100);
  }
  const last = firstDay(rows.at(-1) ?? {});
  return (day) => (day > last ? undefined : totals.get([day, lastOfMonth(day)].sort()[0] ?? ""));
};

/** One point a day of the whole month or year, with its running total until today and that of the earlier one. */
export const runningPoints = (
  view: View,
  whole: Days,
  { data, anterior }: { data: readonly Row[]; anterior?: EarlierRange },
  earlier: readonly Row[],
): Point[] => {
  const before = anterior && earlierDay(view, anterior);
  const [totalNow, totalBefore] = [totalsOf(data), totalsOf(earlier)];
  return Array.from({ length: dayCount(whole) }, (_, index) => {
    const day = addDays(whole.from, index);
    const date = Number(day.slice(8));
    const tick = isMonth(whole) ? (date === 1 || date % 5 === 0 ? String(date) : "") : yearTick(day);
    return {
      name: dayMonth(day),
      tick,
      value: totalNow(day),
      earlier: before && totalBefore(before(day)),
    };
  });
};

const yearTick = (day: string) =>
  day.endsWith("-01") && Number(day.slice(5, 7)) % 2 === 1 ? shortMonth(day).replace(".", "") : "";

/** The rows of each bar: of a week, its days in the period. */
const groupsOf = (view: View, rows: readonly Row[]): Row[][] => {
  const step = stepOf(view);
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const day = firstDay(row);
    const key = step === "semana" ? addDays(day, 1 - weekday(day)) : day;
    const own = groups.get(key);
    if (own) own.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
};

/** Whether a row has an earlier amount. The service fills up the others with zeros. */
const isPaired = (view: View, earlier: EarlierRange): ((row: Row) => boolean) => {
  const before = earlierDay(view, earlier);
  const last = isNothing(earlier) ? "" : dayOf(Date.parse(earlier.fim));
  const isByDay = rowStepOf(view) === "dia";
  return (row) => {
    const day = before([view.from, firstDay(row)].sort()[1] ?? "");
    return day <= last && !(isByDay && day > lastOfMonth(day));
  };
};

/**
 * One point a bar: a day, a week or a month of the period. A day has an earlier amount of the same weekday only.
 * @param weekdays the days of `weeksBack`
 */
export const barPoints = (
  view: View,
  rows: readonly Row[],
  earlier: EarlierRange | undefined,
  weekdays: readonly Row[] = [],
): Point[] => {
  const step = stepOf(view);
  const bars = groupsOf(view, rows);
  const every = Math.ceil(bars.length / 7);
  const weeks = weeksBack(view);
  const hasEarlier = earlier && weeks === undefined ? isPaired(view, earlier) : () => false;
  const onWeekday = new Map(
    weekdays.map((row) => [addDays(firstDay(row), 7 * (weeks ?? 0)), row.valor_total]),
  );
  return bars.map((group, index) => {
    const [first = "", last = ""] = [group[0], group.at(-1)].map((row) => firstDay(row ?? {}));
    // The first and the last month are cut at the period.
    const [from = first, to = last] =
      step === "mes"
        ? [[view.from, first].sort()[1], [elapsedDays(view).to, lastOfMonth(last)].sort()[0]]
        : [];
    const paired = group.filter(hasEarlier);
    const short = bars.length <= 7 ? shortWeekday(from) : step === "mes" ? shortMonth(from) : dayMonth(from);
    return {
      name: barName({ from, to }, step),
      tick: index % every === 0 ? short : "",
      value: sumOf(group, (row) => row.valor_total),
      earlier:
        paired.length > 0 ? sumOf(paired, (row) => row.anterior?.valor_total ?? 0) : onWeekday.get(first),
    };
  });
};

/** One point an hour of a day, from the first to the last with a sale on it or on the earlier day. */
export const hourPoints = (
  { from, clock: { today, hour: current } }: View,
  rows: readonly Row[],
  earlier: readonly Row[] | undefined,
): Point[] => {
  const byHour = (all: readonly Row[]) =>
    new Map(all.map(({ hora = 0, valor_total }) => [hora, valor_total]));
  const [now, before] = [byHour(rows), byHour(earlier ?? [])];
  const hours = [...now, ...before].flatMap(([hour, value]) => (value === 0 ? [] : [hour]));
  if (hours.length === 0) return [];
  const first = Math.min(...hours);
  return Array.from({ length: Math.max(...hours) - first + 1 }, (_, index) => {
    const hour = first + index;
    const isOver = from !== today || hour <= current;
    return {
      name: barName({ from, to: from, hour }, "hora"),
      tick: index % 3 === 0 ? `${hour}h` : "",
      value: isOver ? (now.get(hour) ?? 0) : undefined,
      earlier: earlier && (before.get(hour) ?? 0),
    };
  });
};

/** The data begin after the earlier period did, if none of its first rows has a sale: a change would mislead. */
const MIN_EMPTY_ROWS = 7;
export const beginsLate = (earlier: PanelBody["faturamento_anterior"]): boolean => {
  const rows = earlier?.data ?? [];
  // Nobody sells in the first hours of a day.
  const first = rows[0]?.hora === undefined ? rows.slice(0, MIN_EMPTY_ROWS) : rows;
  return rows.length > 0 && first.every(({ valor_total }) => valor_total === 0);
};

/** A sparkline has at most this many points: more would be noise. */
const MAX_POINTS = 8;

/** The averages of groups of as many neighbours each. */
const averages = (values: readonly number[]): number[] => {
  const size = Math.ceil(values.length / MAX_POINTS);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) => {
    const group = values.slice(index * size, (index + 1) * size);
    return group.reduce((sum, value) => sum + value, 0) / group.length;
  });
};

/** The course of each unit by days or months. None if rows were left out: they would look like zeros. */
export const valuesByUnit = (
  report: PanelBody["faturamento_por_unidade_e_periodo"],
): Map<string, number[]> => {
  if (!isWhole(report) || report.data[0]?.hora !== undefined) return new Map();
  const steps = [...new Set(report.data.map(firstDay))].sort();
  const at = new Map(steps.map((step, index) => [step, index]));
  const values = new Map<string, number[]>();
  for (const row of report.data) {
    const own = values.get(row.estabelecimento_id) ?? new Array<number>(steps.length).fill(0);
    own[at.get(firstDay(row)) ?? 0] = row.valor_total;
    values.set(row.estabelecimento_id, own);
  }
  return new Map([...values].map(([id, own]) => [id, averages(own)]));
};
