import type { Instant } from "../instants.ts";
import { dayFromToday } from "../values.ts";

/** The ends of named periods, with those of summer time by hand. Whole months among them (R24). */
const ENDS: Record<string, [first: string, afterLast: string]> = {
  "2018": ["2018-01-01T02:00:00Z", "2019-01-01T02:00:00Z"],
  "2018-02": ["2018-02-01T02:00:00Z", "2018-03-01T03:00:00Z"],
  "2018-S44": ["2018-10-29T03:00:00Z", "2018-11-05T02:00:00Z"],
  "2018-11-04": ["2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"],
  "2024-T4": ["2024-10-01T03:00:00Z", "2025-01-01T03:00:00Z"],
};

export const NAMED_PERIODS = [...Object.keys(ENDS), "mes", "ano"];

const micros = (text: string): Instant => BigInt(Date.parse(text)) * 1000n;
const midnight = (day: string) => `${day}T03:00:00Z`;

/** The first day of this month or year, and the day after its last. */
const current = (periodo: string): [string, string] => {
  const [year, month] = dayFromToday(0).split("-").map(Number) as [number, number];
  const first = periodo === "mes" ? month - 1 : 0;
  const day = (months: number) => new Date(Date.UTC(year, months, 1)).toISOString().slice(0, 10);
  return [day(first), day(periodo === "mes" ? month : 12)];
};

/** The range of a named period. @param isAhead whether it includes days to come (I7) */
export const namedRange = (periodo: string, isAhead: boolean): { from: Instant; to: Instant } => {
  const known = ENDS[periodo];
  const [first, afterLast] = known ?? current(periodo).map(midnight);
  const end = known || isAhead ? afterLast : midnight(dayFromToday(1));
  return { from: micros(first as string), to: micros(end as string) - 1n };
};
