import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/pages.ts";

// The types of these modules need the DOM, which this TypeScript project does not have.
const [{ barsOf }, { earlierDays }, { addDays, readView }] = await Promise.all(
  ["bars.js", "ranges.js", "view.js"].map((name) => import(join(ROOT, "public/painel", name))),
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
    inicio: addDays(from, index),
    total_transacoes: 1,
    valor_total: (factor * (index + 1)) / 10,
    enviadas_erp: 1,
    pendentes_erp: 0,
  }));

const bars = (view: unknown, rows: unknown[], past?: unknown[]): { step: string; bars: Bar[] } =>
  barsOf(view, { por_periodo: { data: rows }, ...(past && { anterior: { por_periodo: { data: past } } }) });

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
    const rows = rowsOf(from, 25).map((row, index) => ({ ...row, inicio: months[index] }));
    const shown = bars(viewOf(from, to), rows);
    expect([shown.step, shown.bars.length]).toEqual(["mes", 25]);
    expect(shown.bars.map((bar) => bar.from)).toEqual([from, ...months.slice(1)]);
    expect(shown.bars[0]?.to).toBe("2023-02-28");
    expect([shown.bars[12]?.from, shown.bars[12]?.to]).toEqual(["2024-02-01", "2024-02-29"]);
    expect(shown.bars.at(-1)?.to).toBe(to);
  });

  it("show a single day by hour, from opening to closing and beyond if there are visits (A2)", () => {
    const at = (hora: number, valor_total: number) => ({ hora, total_transacoes: 2, valor_total });
    const view = viewOf("2024-02-29", "2024-02-29");
    const panel = { por_periodo: { data: rowsOf("2024-02-29", 1) } };
    const { step, bars: hours } = barsOf(view, panel, [at(9, 0.1), at(9, 0.2), at(22, 5)], [at(7, 3)]);
    expect(step).toBe("hora");
    expect(hours.map(({ hour }: { hour: number }) => hour)).toEqual(
      Array.from({ length: 16 }, (_, index) => index + 7),
    );
    expect([hours[0], hours[2]]).toMatchObject([
      { visits: 0, value: 0, earlier: 3 },
      { visits: 4, value: 0.3, earlier: 0 },
    ]);
    expect(barsOf(view, panel, undefined, undefined).bars).toHaveLength(1);
  });

  it.each([
    ["November and a longer October", "2026-11-01", "2026-11-30", "anterior", 31],
    ["October and a shorter September", "2026-10-01", "2026-10-31", "anterior", 30],
    ["29 February and a year without it", "2024-02-01", "2024-02-29", "ano", 28],
    ["February and a year with 29 February", "2025-02-01", "2025-02-28", "ano", 29],
    ["March and a much shorter February", "2026-03-01", "2026-03-31", "anterior", 28],
  ])("pair each day with the same row of the earlier period: %s (R10)", (_, from, to, compared, count) => {
    const view = viewOf(from, to, compared);
    const earlier = earlierDays(view);
    expect(addDays(earlier.from, count - 1)).toBe(earlier.to);
    const rows = rowsOf(from, Number(to.slice(8)));
    const past = rowsOf(earlier.from, count, 2);
    const shown = bars(view, rows, past);
    // The days that an earlier period lacks have no amount, which is not R$ 0,00.
    expect(shown.bars.map((bar) => bar.earlier)).toEqual(
      rows.map((row, index) => (index < count ? 2 * row.valor_total : undefined)),
    );
  });

  it("pair weeks with the same rows of a shorter or longer period (R10)", () => {
    const [from, to] = ["2024-01-01", "2024-03-31"];
    const view = viewOf(from, to, "ano");
    expect(earlierDays(view)).toEqual({ from: "2023-01-01", to: "2023-03-31" });
    const last = (count: number) => bars(view, rowsOf(from, 91), rowsOf("2023-01-01", count)).bars.at(-1);
    expect([last(90)?.from, last(90)?.earlier]).toEqual(["2024-03-25", 52.5]);
    expect([last(91)?.earlier, last(95)?.earlier, last(84)?.earlier]).toEqual([61.6, 61.6, undefined]);
  });
});

describe("the days that /painel compares with", () => {
  it.each([
    ["?periodo=mes", "2026-11-29", "2026-10-01", "2026-10-29"],
    ["?periodo=mes", "2026-11-30", "2026-10-01", "2026-10-31"],
    ["?periodo=mes", "2026-12-01", "2026-11-01", "2026-11-01"],
    ["?periodo=mes", "2027-03-30", "2027-02-01", "2027-02-28"],
    ["?periodo=mes-passado", "2027-03-31", "2027-01-01", "2027-01-31"],
    ["?periodo=mes-passado", "2024-03-01", "2024-01-01", "2024-01-31"],
    ["?periodo=ano", "2024-02-29", "2023-01-01", "2023-02-28"],
    ["?periodo=ano", "2025-02-28", "2024-01-01", "2024-02-29"],
    ["?periodo=hoje&comparar=ano", "2024-02-29", "2023-02-28", "2023-02-28"],
    ["?periodo=hoje", "2024-03-07", "2024-02-29", "2024-02-29"],
    ["?periodo=7-dias", "2024-03-07", "2024-02-23", "2024-02-29"],
  ])("are those of the service: %s on %s (R10)", (search, today, from, to) => {
    expect(earlierDays(readView(search, { today, hour: 12 }))).toEqual({ from, to });
  });
});
