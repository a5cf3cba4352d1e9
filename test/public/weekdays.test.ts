import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// The types of these modules need the DOM, which this TypeScript project does not have.
const [{ weekdaysOf }, { addDays }] = await Promise.all(
  ["tabs/mais/weekdays.ts", "view.ts"].map((name) => import(join(ROOT, "public/painel", name))),
);

interface Weekday {
  number: number;
  days: number;
  busiest: number | undefined;
}

const row = (dia_semana: number, hora: number, visitas: number, valor_total = 0) => ({
  dia_semana,
  hora,
  visitas,
  valor_total,
});

/** One day after the other, as a person counts on a calendar. */
const countedOneByOne = (from: string, to: string) => {
  const counts = [0, 0, 0, 0, 0, 0, 0];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const index = (new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
};

test.each([
  ["2026-11-01", "2026-11-27"],
  ["2026-11-27", "2026-11-27"],
  ["2024-02-28", "2024-03-06"],
  ["2023-01-01", "2026-11-27"],
])("counts each weekday from %s to %s as a calendar has them", (from, to) => {
  const shown = countedOneByOne(from, to).flatMap((days, index) => (days > 0 ? [[index + 1, days]] : []));
  const { weekdays } = weekdaysOf([], { from, to });
  expect(weekdays.map(({ number, days }: Weekday) => [number, days])).toEqual(shown);
});

test("divides the visits of a weekday's hour by the number of that weekday, and names its busiest hour", () => {
  const rows = [row(6, 9, 3, 100.1), row(6, 10, 6, 0.2), row(7, 10, 0)];
  const { hours, weekdays } = weekdaysOf(rows, { from: "2026-11-01", to: "2026-11-27" });
  expect(hours).toEqual([9, 10]);
  expect(weekdays.find(({ number }: Weekday) => number === 6)).toEqual({
    number: 6,
    days: 3,
    visits: 9,
    value: 100.3,
    averageVisits: 3,
    averageValue: 33.43,
    hours: [1, 2],
    busiest: 10,
  });
  expect(weekdays.find(({ number }: Weekday) => number === 7)?.busiest).toBeUndefined();
});

test("leaves out weekdays that the days do not have, and hours before the first visit", () => {
  const { hours, weekdays } = weekdaysOf([row(5, 0, 0), row(5, 23, 1)], {
    from: "2026-11-27",
    to: "2026-11-27",
  });
  expect(weekdays.map(({ number }: Weekday) => number)).toEqual([5]);
  expect(hours).toEqual([23]);
});

test("has no hours without visits", () => {
  expect(weekdaysOf([row(1, 9, 0)], { from: "2026-11-23", to: "2026-11-29" }).hours).toEqual([]);
});
