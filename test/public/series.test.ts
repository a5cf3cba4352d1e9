import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// The types of these modules need the DOM, which this TypeScript project does not have.
const [
  { barPoints, beginsLate, hourPoints, runningPoints, valuesByUnit, wholeOf },
  { addDays, dayCount, readView },
  { earlierName },
  { rowStepOf, weeksBack },
] = await Promise.all(
  ["series.ts", "view.ts", "period-names.ts", "ranges.ts"].map(
    (name) => import(join(ROOT, "public/painel", name)),
  ),
);

interface Point {
  name: string;
  tick: string;
  value: number | undefined;
  earlier?: number | undefined;
}

const CLOCK = { today: "2026-12-31", hour: 12 };
const viewOf = (from: string, to: string, compared = "anterior", clock = CLOCK) =>
  readView(`?periodo=datas&de=${from}&ate=${to}&comparar=${compared}`, clock);

/** One row of the service for each day. The amounts of `count` rows are 0.1, 0.2, … times the factor. */
const rowsOf = (from: string, count: number, factor = 1) =>
  Array.from({ length: count }, (_, index) => ({
    dia: addDays(from, index),
    valor_total: (factor * (index + 1)) / 10,
  }));

/** The range of an earlier period, from one day to the end of another. */
const rangeOf = (from: string, to: string) => ({
  inicio: `${from}T00:00:00-03:00`,
  fim: `${to}T23:59:59.999999-03:00`,
  ate: null,
});

/** The rows of a period, each with 7.00 before: the service sends a number to a day without an earlier one, too. */
const comparedRows = (from: string, to: string) =>
  rowsOf(from, dayCount({ from, to })).map((row) => ({ ...row, anterior: { valor_total: 7 } }));

/** The dates of the bars, as `02-29`, which have no earlier amount. */
const bareDays = (view: unknown, rows: ReturnType<typeof comparedRows>, earlier: unknown): string[] =>
  (barPoints(view, rows, earlier) as Point[]).flatMap(({ earlier: amount }, index) =>
    amount === undefined ? [rows[index]?.dia.slice(5)] : [],
  );

describe("the bars of /painel", () => {
  it.each([
    ["2024-02-01", 2, 2, "qui., 01/02/2024"],
    ["2024-02-01", 62, 62, "qui., 01/02/2024"],
    ["2024-02-01", 63, 10, "01/02 a 04/02/2024"],
    ["2024-02-05", 63, 9, "05/02 a 11/02/2024"],
    ["2023-01-01", 731, 106, "dom., 01/01/2023"],
  ])("from %s, show %i days in %i bars, without gaps and to the cent (A2)", (from, count, length, first) => {
    const shown: Point[] = barPoints(viewOf(from, addDays(from, count - 1)), rowsOf(from, count), undefined);
    expect([shown.length, shown[0]?.name]).toEqual([length, first]);
    expect(shown.reduce((sum, { value }) => sum + Math.round((value ?? 0) * 100), 0)).toBe(
      5 * count * (count + 1),
    );
    expect(shown.every(({ earlier }) => earlier === undefined)).toBe(true);
    expect(shown.filter(({ tick }) => tick !== "").length).toBeLessThanOrEqual(7);
  });

  it("show 732 days by month, each month with the earlier days that count in it (R23)", () => {
    const rows = Array.from({ length: 25 }, (_, index) => ({
      mes: new Date(Date.UTC(2023, 1 + index)).toISOString().slice(0, 10),
      valor_total: 1,
      anterior: { valor_total: 7 },
    }));
    const of = (to: string): Point[] =>
      barPoints(viewOf("2023-02-10", "2025-02-10"), rows, rangeOf("2021-02-08", to));
    expect([of("2023-02-09")[0]?.name, of("2023-02-09").at(-1)?.name]).toEqual([
      "fevereiro de 2023",
      "fevereiro de 2025",
    ]);
    expect(of("2023-02-09").map(({ earlier }) => earlier)).toEqual(Array(25).fill(7));
    // The data ends on 29 January: the month after it has nothing to be compared with.
    expect(of("2023-01-29").map(({ earlier }) => earlier)).toEqual([...Array(24).fill(7), undefined]);
  });

  it("pair each day of whole weeks with its own earlier one, as far as the data goes (R23)", () => {
    const [from, to] = ["2026-11-10", "2026-11-16"];
    expect(bareDays(viewOf(from, to), comparedRows(from, to), rangeOf("2026-11-03", "2026-11-07"))).toEqual([
      "11-15",
      "11-16",
    ]);
  });

  it("compare days with the same weekday only, four weeks or a year before (A2)", () => {
    const days = fc.integer({ min: 0, max: 2000 }).map((n) => addDays("2020-01-01", n) as string);
    fc.assert(
      fc.property(
        days,
        fc.integer({ min: 2, max: 62 }),
        fc.constantFrom("anterior", "ano"),
        (from, count, kind) => {
          const to = addDays(from, count - 1);
          const view = viewOf(from, to, kind);
          const weeks: number | undefined = weeksBack(view);
          const isMonth = from.endsWith("-01") && addDays(to, 1).endsWith("-01");
          expect(weeks).toBe(kind === "ano" ? 52 : count % 7 === 0 && !isMonth ? undefined : 4);
          if (weeks === undefined) return;
          const rows = comparedRows(from, to);
          const earlier = rangeOf(addDays(from, -count), addDays(from, -1));
          expect(bareDays(view, rows, earlier)).toHaveLength(count);
          const before = rowsOf(addDays(from, -7 * weeks), count, 3);
          const points: Point[] = barPoints(view, rows, earlier, before);
          expect(points.map((point) => point.earlier)).toEqual(before.map(({ valor_total }) => valor_total));
        },
      ),
    );
  });

  it("have no earlier amount if the data has not reached the period (R23)", () => {
    const [from, to] = ["2026-11-10", "2026-11-12"];
    const nothing = { ...rangeOf("2026-11-07", "2026-11-07"), fim: "2026-11-07T00:00:00-03:00" };
    expect(bareDays(viewOf(from, to), comparedRows(from, to), nothing)).toEqual(["11-10", "11-11", "11-12"]);
  });

  it("add up the earlier days of a week, without those that there are not (R23)", () => {
    const earlier = rangeOf("2023-01-29", "2023-03-31");
    const rows = comparedRows("2024-01-29", "2024-03-31");
    const points: Point[] = barPoints(viewOf("2024-01-29", "2024-03-31", "ano"), rows, earlier);
    expect(points.map(({ earlier: amount }) => amount)).toEqual([49, 49, 49, 49, 42, 49, 49, 49, 49]);
  });
});

describe("the hours of /painel", () => {
  const byHour = (amounts: Record<number, number>) =>
    Array.from({ length: 24 }, (_, hora) => ({ hora, valor_total: amounts[hora] ?? 0 }));
  const pointsOf = (search: string, now: Record<number, number>, before?: Record<number, number>): Point[] =>
    hourPoints(readView(search, { today: "2026-11-25", hour: 11 }), byHour(now), before && byHour(before));

  it("run from the first to the last with a sale on either day, without amounts that are still to come (A2)", () => {
    const [now, before] = [
      { 9: 10.5, 11: 2 },
      { 8: 1, 14: 7.25 },
    ];
    const shown = (points: Point[]) =>
      points.map(({ name, value, earlier }) => [name.split("h")[0], value, earlier]);
    expect(shown(pointsOf("?periodo=hoje", now, before))).toEqual([
      ["8", 0, 1],
      ["9", 10.5, 0],
      ["10", 0, 0],
      ["11", 2, 0],
      ["12", undefined, 0],
      ["13", undefined, 0],
      ["14", undefined, 7.25],
    ]);
    expect(shown(pointsOf("?periodo=ontem", now)).at(-1)).toEqual(["11", 2, undefined]);
    expect(pointsOf("?periodo=hoje", {}, {})).toEqual([]);
  });

  it("do not make a comparison unfair because nobody sells at night (R23)", () => {
    expect(beginsLate({ data: byHour({ 9: 1 }) })).toBe(false);
    expect(beginsLate({ data: byHour({}) })).toBe(true);
  });
});

describe("the line of /painel", () => {
  const clock = { today: "2026-11-25", hour: 11 };

  it.each([
    ["?periodo=mes", "2026-11-01", "2026-11-30"],
    ["?periodo=mes-passado", "2026-10-01", "2026-10-31"],
    ["?periodo=ano", "2026-01-01", "2026-12-31"],
    ["?de=2024-02-01&ate=2024-02-29", "2024-02-01", "2024-02-29"],
    ["?periodo=7-dias", undefined, undefined],
    ["?periodo=hoje", undefined, undefined],
    ["?de=2026-11-01&ate=2026-11-20", undefined, undefined],
    ["?de=2026-11-02&ate=2026-11-25", undefined, undefined],
  ])("is of a whole month or year: %s (A2)", (search, from, to) => {
    expect(wholeOf(readView(search, clock))).toEqual(from && { from, to });
  });

  it.each([
    ["?periodo=hoje", "2026-12-01"],
    ["?periodo=7-dias", "2026-12-07"],
    ["?periodo=30-dias", "2026-11-30"],
    ["?de=2026-12-01&ate=2026-12-01", "2026-12-01"],
  ])("is not of the month whose days %s has by chance (A2)", (search, today) => {
    expect(wholeOf(readView(search, { today, hour: 11 }))).toBeUndefined();
  });

  it.each([
    ["?periodo=mes", "2026-12-01", 31],
    ["?periodo=ano", "2027-01-01", 365],
  ])("has a point of each day on the first day of a month or a year, too: %s (A2)", (search, today, days) => {
    const view = readView(search, { today, hour: 11 });
    expect(rowStepOf(view)).toBe("dia");
    const points: Point[] = runningPoints(view, wholeOf(view), { data: rowsOf(today, 1) }, []);
    expect([points.length, points[0]?.value, points[1]?.value]).toEqual([days, 0.1, undefined]);
  });

  it("is of the year in January, too (A2)", () => {
    const january = { today: "2027-01-20", hour: 11 };
    expect([wholeOf(readView("?periodo=ano", january)), wholeOf(readView("?periodo=mes", january))]).toEqual([
      { from: "2027-01-01", to: "2027-12-31" },
      { from: "2027-01-01", to: "2027-01-31" },
    ]);
  });

  it("adds up days to the cent until today, beside the earlier month as far as it goes (A2)", () => {
    const view = readView("?periodo=mes", clock);
    const series = { data: rowsOf("2026-11-01", 25), anterior: rangeOf("2026-10-01", "2026-10-25") };
    const points: Point[] = runningPoints(view, wholeOf(view), series, rowsOf("2026-10-01", 28, 2));
    expect(points).toHaveLength(30);
    expect(points.slice(22, 26).map(({ value }) => value)).toEqual([27.6, 30, 32.5, undefined]);
    expect(points.slice(26, 30).map(({ earlier }) => earlier)).toEqual([75.6, 81.2, undefined, undefined]);
    expect(points.filter(({ tick }) => tick).map(({ tick }) => tick)).toEqual([
      "1",
      "5",
      "10",
      "15",
      "20",
      "25",
      "30",
    ]);
  });

  it.each([
    // 28 and 29 February, 1 March and 31 December, in amounts of 0.1, 0.2, …
    ["2025", ["28/02", "01/03", "31/12"], [177, 189.1, 6_716.1]],
    ["2024", ["28/02", "29/02", "01/03", "31/12"], [177, 177, 183, 6_679.5]],
  ])("puts each day of %s beside its date of the year before (R23)", (year, names, amounts) => {
    const past = String(Number(year) - 1);
    const view = viewOf(`${year}-01-01`, `${year}-12-31`);
    const daysOf = (of: string) => dayCount({ from: `${of}-01-01`, to: `${of}-12-31` });
    const series = {
      data: rowsOf(`${year}-01-01`, daysOf(year)),
      anterior: rangeOf(`${past}-01-01`, `${past}-12-31`),
    };
    const points: Point[] = runningPoints(view, wholeOf(view), series, rowsOf(`${past}-01-01`, daysOf(past)));
    expect(names.map((name) => points.find((point) => point.name === name)?.earlier)).toEqual(amounts);
  });

  it("has no percentage beside it if the data begin within the earlier period (R10)", () => {
    const of = (...values: number[]) => beginsLate({ data: values.map((valor_total) => ({ valor_total })) });
    expect([of(0, 0, 0, 0, 0, 0, 0, 5), of(0, 0, 0, 0, 0, 0, 5), of(0), of(3), beginsLate(null)]).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
  });
});

describe("the course of each unit on Início", () => {
  const data = ["1", "2"].flatMap((estabelecimento_id) =>
    rowsOf("2026-11-01", 2).map((row) => ({ ...row, estabelecimento_id })),
  );

  it("is shown of whole answers only: a row beyond the limit is no day without sales (A2)", () => {
    expect([...valuesByUnit({ data, linhas: 4 })]).toEqual([
      ["1", [0.1, 0.2]],
      ["2", [0.1, 0.2]],
    ]);
    expect(valuesByUnit({ data, linhas: 5 }).size).toBe(0);
  });
});

describe("the name of what a period is compared with", () => {
  it.each([
    ["2025-01-01", "2025-11-27", "2025 até 27/11"],
    ["2025-01-01", "2025-12-31", "2025"],
    ["2024-01-01", "2025-03-10", "01/01/2024 a 10/03/2025"],
    ["2026-10-01", "2026-10-31", "outubro"],
    ["2026-10-01", "2026-10-25", "outubro até o dia 25"],
  ])("is of the days from %s to %s (R10)", (from, to, name) => {
    const range = { inicio: `${from}T00:00:00-03:00`, fim: `${to}T23:59:59.999-03:00`, ate: null };
    expect(earlierName(range, readView("", { today: "2026-11-27", hour: 10 }))).toBe(name);
  });

  it("ends when the data does, and not with the clock (R23)", () => {
    const name = (inicio: string, fim: string) =>
      earlierName(
        { inicio: `${inicio}-03:00`, fim: `${fim}-03:00`, ate: "2026-11-27T14:04:00-03:00" },
        readView("", { today: "2026-11-27", hour: 14 }),
      );
    expect(name("2026-11-20T00:00:00", "2026-11-20T14:04:00")).toBe("sexta-feira, 20/11 até 14h04");
    expect(name("2026-10-01T00:00:00", "2026-10-27T14:04:00")).toBe("outubro até o dia 27, 14h04");
    // The data ends with midnight: that is a time as any other.
    expect(name("2026-10-01T00:00:00", "2026-10-27T00:00:00")).toBe("outubro até o dia 27, 00h00");
  });
});
