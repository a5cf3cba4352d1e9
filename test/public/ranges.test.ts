import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// The types of these modules need the DOM, which this TypeScript project does not have.
const [{ areMonthsOver, comparedRangeOf, panelPath }, { readView }, { periodName }] = await Promise.all(
  ["ranges.ts", "view.ts", "period-names.ts"].map((name) => import(join(ROOT, "public/painel", name))),
);

const viewAt = (search: string, today = "2026-11-28") => readView(`?${search}`, { today, hour: 12 });

describe("what /painel asks for", () => {
  it.each([
    ["periodo=hoje", "semana-anterior"],
    ["periodo=ontem", "semana-anterior"],
    ["periodo=7-dias", "anterior"],
    ["periodo=semana-passada", "anterior"],
    ["periodo=30-dias", "anterior"],
    ["periodo=mes", "mes-anterior"],
    ["periodo=mes-passado", "mes-anterior"],
    ["periodo=ano", "ano-anterior"],
    ["de=2026-02-01&ate=2026-02-28", "mes-anterior"],
    ["de=2026-02-03&ate=2026-02-03", "semana-anterior"],
    ["de=2026-02-03&ate=2026-02-09", "anterior"],
    ["de=2025-01-01&ate=2025-12-31", "ano-anterior"],
    ["periodo=mes&comparar=ano", "ano-anterior"],
    ["periodo=mes&comparar=nada", undefined],
    ["de=2026-12-01&ate=2026-12-07", undefined],
  ])("is compared as a manager means it, and not on request or before a period: %s (R10)", (search, kind) => {
    expect(comparedRangeOf(viewAt(search)).comparar).toBe(kind);
  });

  it.each([
    ["2026-11-30", "2026-10-01", "2026-10-31"],
    ["2026-12-01", "2026-11-01", "2026-11-30"],
    ["2027-01-01", "2026-12-01", "2026-12-31"],
    ["2027-03-31", "2027-02-01", "2027-02-28"],
  ])("has the days of each period at the end of a month and of a year: on %s (R10)", (today, from, to) => {
    const ends = (search: string) => {
      const query = new URLSearchParams(panelPath(viewAt(search, today)).split("?")[1]);
      return ["data_inicio", "data_fim", "periodo"].map((name) => query.get(name));
    };
    expect(ends("periodo=hoje")).toEqual([`${today}T00:00:00-03:00`, `${today}T12:59:59.999999-03:00`, null]);
    expect(ends("periodo=mes-passado")).toEqual([
      `${from}T00:00:00-03:00`,
      `${to}T23:59:59.999999-03:00`,
      null,
    ]);
    // The panel sends the name of the running month, so the service compares the whole month before.
    expect(ends("periodo=mes")).toEqual([null, null, "mes"]);
  });

  it.each([
    ["2026-11-28", "2026-11-27", "2026-11-16", "2026-11-22", "2026-10-30"],
    // A Sunday, a Monday, and a week of two years.
    ["2026-11-29", "2026-11-28", "2026-11-16", "2026-11-22", "2026-10-31"],
    ["2026-11-30", "2026-11-29", "2026-11-23", "2026-11-29", "2026-11-01"],
    ["2027-01-05", "2027-01-04", "2026-12-28", "2027-01-03", "2026-12-07"],
  ])("has the days of the periods one tap away: on %s (A2)", (today, yesterday, monday, sunday, first) => {
    const ends = (search: string) => {
      const { data_inicio, data_fim } = comparedRangeOf(viewAt(search, today));
      return [data_inicio, data_fim];
    };
    const wholeDays = (from: string, to = from) => [`${from}T00:00:00-03:00`, `${to}T23:59:59.999999-03:00`];
    expect(ends("periodo=ontem")).toEqual(wholeDays(yesterday));
    expect(ends("periodo=semana-passada")).toEqual(wholeDays(monday, sunday));
    expect(ends("periodo=30-dias")).toEqual(wholeDays(first, today));
  });

  it("names the periods one tap away: a week by its days (A2)", () => {
    const names = ["ontem", "semana-passada", "30-dias"].map((name) => periodName(viewAt(`periodo=${name}`)));
    expect(names).toEqual(["ontem", "16/11 a 22/11", "últimos 30 dias"]);
  });

  it("is the same for a typed day that is today as for Hoje (R10)", () => {
    expect(panelPath(viewAt("periodo=datas&de=2026-11-28&ate=2026-11-28"))).toBe(
      panelPath(viewAt("periodo=hoje")),
    );
  });

  it.each([
    ["periodo=mes-passado", true],
    ["periodo=mes", false],
    ["periodo=ano", false],
    ["periodo=hoje", false],
    ["periodo=7-dias", false],
    ["de=2026-01-01&ate=2026-02-28", true],
    ["de=2026-01-01&ate=2026-02-27", false],
    ["de=2026-01-02&ate=2026-02-28", false],
  ])("is of months that are over: %s %s (R24)", (search, areOver) => {
    expect(areMonthsOver(viewAt(search), undefined)).toBe(areOver);
  });

  it("is not of months that the data has not passed (R24)", () => {
    const until = (at: string) => areMonthsOver(viewAt("periodo=mes-passado"), Date.parse(at));
    expect(until("2026-10-31T12:04:00-03:00")).toBe(false);
    expect(until("2026-11-01T00:00:00-03:00")).toBe(true);
  });
});
