import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// The types of these modules need the DOM, which this TypeScript project does not have.
const [
  { barPoints, beginsLate, paceOf, runningPoints, valuesByUnit, wholeOf },
  { addDays, readView },
  { earlierName },
] = await Promise.all(
  ["series.ts", "view.ts", "wording.ts"].map((name) => import(join(ROOT, "public/painel", name))),
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

/** The bars of days compared with `count` days, as the service sends them: it pairs rows, and fills up with zeros. */
const comparedBars = (view: unknown, rows: ReturnType<typeof rowsOf>, count: number): Point[] => {
  const past = rowsOf("2000-01-01", count, 2);
  const data = rows.map((row, index) => ({
    ...row,
    anterior: { valor_total: past[index]?.valor_total ?? 0 },
  }));
  return barPoints(view, data, count);
};

describe("the bars of /painel", () => {
  it.each([
    ["2024-02-01", 2, 2, "qui., 01/02/2024"],
    ["2024-02-01", 62, 62, "qui., 01/02/2024"],
    ["2024-02-01", 63, 10, "01/02 a 04/02/2024"],
    ["2024-02-05", 63, 9, "05/02 a 11/02/2024"],
    ["2023-01-01", 731, 106, "dom., 01/01/2023"],
  ])("from %s, show %i days in %i bars, without gaps and to the cent (A2)", (from, count, length, first) => {
    const shown: Point[] = barPoints(viewOf(from, addDays(from, count - 1)), rowsOf(from, count), 0);
    expect([shown.length, shown[0]?.name]).toEqual([length, first]);
    expect(shown.reduce((sum, { value }) => sum + Math.round((value ?? 0) * 100), 0)).toBe(
      5 * count * (count + 1),
    );
    expect(shown.every(({ earlier }) => earlier === undefined)).toBe(true);
    expect(shown.filter(({ tick }) => tick !== "").length).toBeLessThanOrEqual(7);
  });

  it("show 732 days by month, and no earlier amount that there is not (A2)", () => {
    const rows = Array.from({ length: 25 }, (_, index) => ({
      mes: new Date(Date.UTC(2023, 1 + index)).toISOString().slice(0, 10),
      valor_total: 1,
      anterior: { valor_total: 7 },
    }));
    const shown: Point[] = barPoints(viewOf("2023-02-10", "2025-02-10"), rows, 24);
    expect([shown[0]?.name, shown.at(-1)?.name]).toEqual(["fevereiro de 2023", "fevereiro de 2025"]);
    expect(shown.map(({ earlier }) => earlier)).toEqual([...Array(24).fill(7), undefined]);
  });

  it.each([
    ["November and a longer October", "2026-11-01", "2026-11-30", 31],
    ["October and a shorter September", "2026-10-01", "2026-10-31", 30],
    ["29 February and a year without it", "2024-02-01", "2024-02-29", 28],
    ["March and a much shorter February", "2026-03-01", "2026-03-31", 28],
  ])("pair each day with the same row of the earlier period: %s (R10)", (_, from, to, count) => {
    const rows = rowsOf(from, Number(to.slice(8)));
    expect(comparedBars(viewOf(from, to), rows, count).map(({ earlier }) => earlier)).toEqual(
      rows.map((row, index) => (index < count ? 2 * row.valor_total : undefined)),
    );
  });

  it("pair weeks with the same rows of a shorter or longer period (R10)", () => {
    const view = viewOf("2024-01-01", "2024-03-31", "ano");
    const last = (count: number) => comparedBars(view, rowsOf("2024-01-01", 91), count).at(-1)?.earlier;
    expect([last(90), last(91), last(95), last(84)]).toEqual([105, 123.2, 123.2, undefined]);
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

  it("is of the year in January, too (A2)", () => {
    const january = { today: "2027-01-20", hour: 11 };
    expect([wholeOf(readView("?periodo=ano", january)), wholeOf(readView("?periodo=mes", january))]).toEqual([
      { from: "2027-01-01", to: "2027-12-31" },
      { from: "2027-01-01", to: "2027-01-31" },
    ]);
  });

  it("adds up days to the cent until today, beside the earlier month as far as it goes (A2)", () => {
    const whole = { from: "2026-11-01", to: "2026-11-30" };
    const now = rowsOf("2026-11-01", 25);
    const points: Point[] = runningPoints(whole, now, rowsOf("2026-10-01", 28, 2));
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

  it("expects of the days to come what the complete days had, from the fourth day on (A2)", () => {
    const pace = (today: string, count: number) => {
      const view = readView("?periodo=mes", { today, hour: 11 });
      return paceOf(view, wholeOf(view), rowsOf("2026-11-01", count));
    };
    // 24 days have 30.00: 30 days have 37.50. Today's 2.50 are not counted.
    expect([pace("2026-11-25", 25), pace("2026-11-03", 3)]).toEqual([37.5, undefined]);
    expect(pace("2026-11-04", 4)).toBe(6);
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
    expect(name("2026-11-20T00:00:00", "2026-11-20T00:00:00")).toBe("nada: ainda não há dados deste período");
  });
});
