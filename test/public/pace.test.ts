import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// The types of these modules need the DOM, which this TypeScript project does not have.
const [{ goalOfAll, goalsOf, missedGoals, pacesOf, usualDay }, { readView }] = await Promise.all(
  ["pace.ts", "view.ts"].map((name) => import(join(ROOT, "public/painel", name))),
);

type Rows = [unit: string, value: number][];
const report = (rows: Rows, more: object = {}) => ({
  data: rows.map(([estabelecimento_id, valor_total]) => ({ estabelecimento_id, valor_total, ...more })),
});

/** 26 November 2026 is a Thursday: a Friday to a Monday are left. Of each weekday n, eight weeks had 8n and 4n. */
const body = (today: Rows, more: object = {}) => ({
  faturamento_por_unidade: report([
    ["a", 100.1],
    ["b", 50],
  ]),
  faturamento_hoje: report(today),
  faturamento_semanas: {
    data: [1, 2, 3, 4, 5, 6, 7].flatMap((dia_semana) => [
      ...report([["a", 8 * dia_semana]], { dia_semana }).data,
      ...report([["new", 4 * dia_semana]], { dia_semana }).data,
    ]),
  },
  metas_por_unidade: {
    data: [
      { estabelecimento_id: "a", meta: 125 },
      { estabelecimento_id: "b", meta: 40 },
      { estabelecimento_id: "new", meta: 23 },
      { estabelecimento_id: "none", meta: null },
    ],
  },
  ...more,
});
const viewAt = (today: string, search = "?periodo=mes") => readView(search, { today, hour: 12 });
const view = viewAt("2026-11-26");

describe("what today's weekday brings (A2)", () => {
  it("is the mean of eight weeks, of all units", () => {
    expect(usualDay(body([]), view)).toBe(4 + 2);
    expect(usualDay(body([]), viewAt("2026-11-29"))).toBe(7 + 3.5);
    const odd = body([], { faturamento_semanas: report([["a", 0.03]], { dia_semana: 4 }) });
    expect(usualDay(odd, view)).toBe(0.00375);
  });

  it("is 0 for a weekday without sales, and does not exist if the service left out rows", () => {
    expect(usualDay(body([], { faturamento_semanas: { data: [] } }), view)).toBe(0);
    expect(usualDay(body([], { faturamento_semanas: { data: [], linhas: 1 } }), view)).toBeUndefined();
  });
});

describe("the pace of a unit to the end of the month (B1)", () => {
  const paces = (of: object, at = view) => Object.fromEntries(pacesOf(of, at) ?? []);

  it("is what came in until yesterday, today's mean, and the means of the days left", () => {
    // 100.10 - 1.10 until yesterday, 4 today, 5 + 6 + 7 + 1 from Friday to Monday.
    expect(paces(body([["a", 1.1]]))).toEqual({ a: 122, b: 50, new: 11.5 });
  });

  it("has today's sum where it is higher than the mean", () => {
    expect(paces(body([["a", 30.1]]))).toEqual({ a: 119.1, b: 50, new: 11.5 });
    expect(paces(body([["b", 50]]))).toMatchObject({ b: 50 });
  });

  it("is exact to the centavo", () => {
    const odd = body([], { faturamento_semanas: report([["a", 0.03]], { dia_semana: 5 }) });
    expect(paces(odd)).toEqual({ a: 100.1, b: 50 });
    const more = body([], { faturamento_semanas: report([["a", 0.04]], { dia_semana: 5 }) });
    expect(paces(more)).toEqual({ a: 100.11, b: 50 });
  });

  it("is of the last day of the month as of any other", () => {
    expect(paces(body([]), viewAt("2026-11-30"))).toMatchObject({ a: 101.1 });
  });

  it.each([
    ["before the fifth day", "2026-11-04", ""],
    ["in an earlier month", "2026-11-26", "?periodo=mes-passado"],
    ["for a range that is not a month", "2026-11-26", "?periodo=7-dias"],
  ])("does not exist %s", (_, today, search) => {
    expect(pacesOf(body([]), viewAt(today, search))).toBeUndefined();
    expect(pacesOf(body([]), viewAt("2026-11-05"))).toBeDefined();
  });

  it("does not exist if the service left out rows", () => {
    expect(pacesOf(body([], { faturamento_hoje: { data: [], linhas: 1 } }), view)).toBeUndefined();
  });
});

describe("the goals of units (B1)", () => {
  const goals = goalsOf(body([["a", 1.1]]), view);

  it("are in the order of what the pace is of them, the furthest from its goal first", () => {
    expect(goals).toEqual([
      { id: "new", goal: 23, done: 0, pace: 11.5 },
      { id: "a", goal: 125, done: 100.1, pace: 122 },
      { id: "b", goal: 40, done: 50, pace: 50 },
    ]);
    expect(goalOfAll(goals)).toEqual({ goal: 188, done: 150.1, pace: 183.5 });
  });

  it("that will be missed at their pace lack a sum", () => {
    const { units, value } = missedGoals(goals, view);
    expect([units.map(({ id }: { id: string }) => id), value]).toEqual([["new", "a"], 14.5]);
  });

  it("are not missed before the fifth day, and by what came in after the month", () => {
    const missedAt = (today: string, search?: string) => {
      const at = viewAt(today, search);
      return missedGoals(goalsOf(body([]), at), at).value;
    };
    expect([missedAt("2026-11-04"), missedAt("2026-12-01", "?periodo=mes-passado")]).toEqual([0, 47.9]);
  });
});
