// Averages by weekday and hour: what a Saturday, and a Saturday at 10h, usually is.
import { average } from "../../format.ts";
import { sumOf } from "../../series.ts";
import { addDays, type Days, dayCount, weekday } from "../../view.ts";

/** A row of visits by weekday and hour. 1 is Monday. */
export type HourRow = { dia_semana: number; hora: number; visitas: number; valor_total: number };

export type Weekday = {
  /** 1 is Monday. */
  number: number;
  /** How many of this weekday the days have. */
  days: number;
  visits: number;
  value: number;
  /** Average per day. */
  averageVisits: number;
  averageValue: number;
  /** Average visits at each hour of the grid. */
  hours: number[];
  /** The hour with the most visits; undefined if there are none. */
  busiest: number | undefined;
};

/** How many Mondays, Tuesdays, … the days have: the first is of Mondays. */
const weekdayCounts = ({ from, to }: Days): number[] => {
  const total = dayCount({ from, to });
  const first = weekday(from);
  return [1, 2, 3, 4, 5, 6, 7].map((day) => {
    const offset = (day - first + 7) % 7;
    return offset < total ? Math.floor((total - 1 - offset) / 7) + 1 : 0;
  });
};

const busiestOf = (hours: readonly number[], from: number) => {
  const max = Math.max(0, ...hours);
  return max === 0 ? undefined : from + hours.indexOf(max);
};

/** The weekdays that the days have, and the hours from the first to the last with a visit. */
export const weekdaysOf = (
  rows: readonly HourRow[],
  days: Days,
): { hours: number[]; weekdays: Weekday[] } => {
  const busy = rows.filter(({ visitas }) => visitas > 0).map(({ hora }) => hora);
  const [from, to] = [Math.min(...busy), Math.max(...busy)];
  const hours = busy.length === 0 ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const weekdays = weekdayCounts(days).flatMap((count, index) => {
    const own = rows.filter((row) => row.dia_semana === index + 1);
    if (count === 0) return [];
    const visits = own.reduce((sum, { visitas }) => sum + visitas, 0);
    const value = sumOf(own, ({ valor_total }) => valor_total);
    const atHour = hours.map((hour) => (own.find(({ hora }) => hora === hour)?.visitas ?? 0) / count);
    return {
      number: index + 1,
      days: count,
      visits,
      value,
      averageVisits: visits / count,
      averageValue: average(value, count) ?? 0,
      hours: atHour,
      busiest: busiestOf(atHour, from),
    };
  });
  return { hours, weekdays };
};

/** segunda-feira, of the number of a weekday: a Monday is 2024-01-01. */
export const dayOfWeekday = (number: number): string => addDays("2024-01-01", number - 1);
