import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// The types of these modules need the DOM, which this TypeScript project does not have.
const [{ barsOf }, { earlierStart }, { addDays, readView }] = await Promise.all(
  ["bars.ts", "ranges.ts", "view.ts"].map((name) => import(join(ROOT, "public/painel", name))),
);

interface Bar {
  from: string;
  to: string;
  visits: number;
  value: number;
  earlier?: number;
}

const CLOCK = { today: "2026-12-31", hour: 12 };
const viewOf = (from: string, to: string, compared = "anterior", clock = CLOCK) =>
  readView(`?periodo=datas&de=${from}&ate=${to}&comparar=${compared}`, clock);

/** One row of the service for each day. The amounts of `count` rows are 0.1, 0.2, … times the factor. */
const rowsOf = (from: string, count: number, factor = 1) =>
  Array.from({ length: count }, (_, index) => ({
    dia: addDays(from, index),
    visitas: 1,
    valor_total: (factor * (index + 1)) / 10,
    enviadas: 1,
    pendentes: 0,
  }));

const bars = (view: unknown, rows: object[]): { step: string; bars: Bar[] } =>
  barsOf(view, { por_periodo: { data: rows } });

/** The bars of days compared with `count` days, as the service sends them: it pairs rows, and fills up with zeros. */
const comparedBars = (view: unknown, rows: object[], from: string, count: number): Bar[] => {
  const past = rowsOf(from, count, 2);
  const data = rows.map((row, index) => ({
    ...row,
    anterior: past[index] ?? { visitas: 0, valor_total: 0 },
  }));
  const anterior = {
    inicio: `${from}T03:00:00+00:00`,
    fim: `${addDays(from, count)}T02:59:59.999999+00:00`,
  };
  return barsOf(view, { por_periodo: { data, anterior } }).bars;
};

describe("the bars of /painel", () => {
  it.each([
    ["2024-02-29", 1, "dia", 1],
    ["2024-02-01", 2, "dia", 2],
    ["2024-02-01", 62, "dia", 62],
    ["2024-02-01", 63, "semana", 10],
    ["2024-02-05", 63, "semana", 9],
    ["2023-01-01", 731, "semana", 106],
  ])("from %s, show %i days by %s, without gaps (A2)", (from, count, step, length) => {
    const to = addDays(from, count - 1);
    const shown = bars(viewOf(from, to), rowsOf(from, count));
    expect([shown.step, shown.bars.length]).toEqual([step, length]);
    expect([shown.bars[0]?.from, shown.bars.at(-1)?.to]).toEqual([from, to]);
    for (const [index, bar] of shown.bars.slice(1).entries()) {
      expect(bar.from).toBe(addDays(shown.bars[index]?.to, 1));
      if (step === "semana") expect(new Date(bar.from).getUTCDay()).toBe(1);
    }
    const total = (sum: (bar: Bar) => number) => shown.bars.reduce((all, bar) => all + sum(bar), 0);
    expect(total((bar) => bar.visits)).toBe(count);
    expect(total((bar) => bar.value)).toBeCloseTo((count * (count + 1)) / 20, 6);
    expect(shown.bars.every((bar) => !("earlier" in bar))).toBe(true);
  });

  it("show 732 days by month, the first and the last cut at the period (A2)", () => {
    const [from, to] = ["2023-02-10", "2025-02-10"];
    const months = Array.from({ length: 25 }, (_, index) =>
      new Date(Date.UTC(2023, 1 + index)).toISOString().slice(0, 10),
    );
    const rows = rowsOf(from, 25).map(({ dia: _, ...row }, index) => ({ ...row, mes: months[index] }));
    const shown = bars(viewOf(from, to), rows);
    expect([shown.step, shown.bars.length]).toEqual(["mes", 25]);
    expect(shown.bars.map((bar) => bar.from)).toEqual([from, ...months.slice(1)]);
    expect(shown.bars[0]?.to).toBe("2023-02-28");
    expect([shown.bars[12]?.from, shown.bars[12]?.to]).toEqual(["2024-02-01", "2024-02-29"]);
    expect(shown.bars.at(-1)?.to).toBe(to);
    // 24 months have passed since February 2023: the last of 25 rows has none to be compared with.
    const data = rows.map((row) => ({ ...row, anterior: { valor_total: 7 } }));
    const anterior = { inicio: "2021-02-10T03:00:00+00:00", fim: "2023-02-01T02:59:59.999999+00:00" };
    const compared: Bar[] = barsOf(viewOf(from, to), { por_periodo: { data, anterior } }).bars;
    expect(compared.map((bar) => bar.earlier)).toEqual([...Array(24).fill(7), undefined]);
  });

  it("show a single day by hour, from opening to closing and beyond if there are visits (A2)", () => {
    const at = (hora: number, visitas: number, valor_total: number, before: number) => ({
      hora,
      visitas,
      valor_total,
      anterior: { visitas: 1, valor_total: before },
    });
    const view = viewOf("2024-02-29", "2024-02-29");
    const panel = { por_periodo: { data: rowsOf("2024-02-29", 1) } };
    const anterior = { inicio: "2024-02-22T03:00:00+00:00", fim: "2024-02-23T02:59:59.999999+00:00" };
    const data = [at(7, 0, 0, 3), at(8, 0, 0, 0), at(9, 4, 0.3, 0), at(22, 2, 5, 0)];
    const { step, bars: hours } = barsOf(view, panel, { data, anterior });
    expect(step).toBe("hora");
    expect(hours.map(({ hour }: { hour: number }) => hour)).toEqual(
      Array.from({ length: 16 }, (_, index) => index + 7),
    );
    expect([hours[0], hours[2]]).toMatchObject([
      { visits: 0, value: 0, earlier: 3 },
      { visits: 4, value: 0.3, earlier: 0 },
    ]);
    expect(barsOf(view, panel, { data }).bars.some((bar: Bar) => "earlier" in bar)).toBe(false);
    expect(barsOf(view, panel, undefined).bars).toHaveLength(1);
  });

  it.each([
    ["November and a longer October", "2026-11-01", "2026-11-30", "anterior", 31],
    ["October and a shorter September", "2026-10-01", "2026-10-31", "anterior", 30],
    ["29 February and a year without it", "2024-02-01", "2024-02-29", "ano", 28],
    ["February and a year with 29 February", "2025-02-01", "2025-02-28", "ano", 29],
    ["March and a much shorter February", "2026-03-01", "2026-03-31", "anterior", 28],
  ])("pair each day with the same row of the earlier period: %s (R10)", (_, from, to, compared, count) => {
    const view = viewOf(from, to, compared);
    const rows = rowsOf(from, Number(to.slice(8)));
    // The days that an earlier period lacks have no amount, which is not R$ 0,00.
    expect(comparedBars(view, rows, earlierStart(view), count).map((bar) => bar.earlier)).toEqual(
      rows.map((row, index) => (index < count ? 2 * row.valor_total : undefined)),
    );
  });

  it("pair weeks with the same rows of a shorter or longer period (R10)", () => {
    const [from, to] = ["2024-01-01", "2024-03-31"];
    const view = viewOf(from, to, "ano");
    expect(earlierStart(view)).toBe("2023-01-01");
    const last = (count: number) => comparedBars(view, rowsOf(from, 91), "2023-01-01", count).at(-1);
    expect([last(90)?.from, last(90)?.earlier]).toEqual(["2024-03-25", 105]);
    expect([last(91)?.earlier, last(95)?.earlier, last(84)?.earlier]).toEqual([123.2, 123.2, undefined]);
  });
});

describe("the first day that /painel compares with", () => {
  it.each([
    ["?periodo=mes", "2026-11-29", "2026-10-01"],
    ["?periodo=mes", "2026-11-30", "2026-10-01"],
    ["?periodo=mes", "2026-12-01", "2026-11-01"],
    ["?periodo=mes", "2027-03-30", "2027-02-01"],
    ["?periodo=mes-passado", "2027-03-31", "2027-01-01"],
    ["?periodo=mes-passado", "2024-03-01", "2024-01-01"],
    ["?periodo=ano", "2024-02-29", "2023-01-01"],
    ["?periodo=ano", "2025-02-28", "2024-01-01"],
    ["?periodo=hoje&comparar=ano", "2024-02-29", "2023-02-28"],
    ["?periodo=hoje", "2024-03-07", "2024-02-29"],
    ["?periodo=7-dias", "2024-03-07", "2024-02-23"],
  ])("is that of the service: %s on %s (R10)", (search, today, from) => {
    expect(earlierStart(readView(search, { today, hour: 12 }))).toBe(from);
  });
});
