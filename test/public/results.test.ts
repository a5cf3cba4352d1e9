// The panel's revenue less bills: what is asked, and in which order it is shown.
import { describe, expect, it, vi } from "vitest";

// A list belongs to the tab in the address.
vi.stubGlobal("location", { search: "?aba=financeiro" });

const { billsOf, byMargin, marginRows, monthsPath, unitsPath, yearOf } = await import(
  "../../public/painel/tabs/financeiro/result.ts"
);
const { readList } = await import("../../public/painel/links.ts");
const { readView } = await import("../../public/painel/view.ts");

const clock = { today: "2026-11-27", hour: 10 };
const month = readView("", clock);
const lastMonth = readView("?periodo=mes-passado", clock);
const query = (path: string) => Object.fromEntries(new URLSearchParams(path.split("?")[1]));
const row = (estabelecimento_id: string | null, faturamento: number, margem: number | null) => ({
  estabelecimento_id,
  faturamento,
  despesas: null,
  resultado: null,
  margem,
});

describe("what is left", () => {
  it("is compared once the data has passed the period, and before with nothing (R27)", () => {
    expect(query(unitsPath(month, undefined)).comparar).toBeUndefined();
    expect(query(unitsPath(lastMonth, undefined)).comparar).toBe("mes-anterior");
    const dataUntil = Date.parse("2026-10-31T20:00:00-03:00");
    expect(query(unitsPath(lastMonth, dataUntil)).comparar).toBeUndefined();
    expect(query(unitsPath(lastMonth, dataUntil + 86_400_000)).comparar).toBe("mes-anterior");
  });

  it("is of the year of the period by month, until today", () => {
    expect(yearOf(month)).toEqual({ from: "2026-01-01", to: "2026-11-27" });
    expect(yearOf(readView("?de=2025-03-01&ate=2025-03-31", clock))).toEqual({
      from: "2025-01-01",
      to: "2025-12-31",
    });
    expect(query(monthsPath(month))).toMatchObject({ por: "mes", data_inicio: "2026-01-01T00:00:00-03:00" });
  });

  it("shows the highest margin first, then who has none by revenue, and the bills of no unit last", () => {
    const rows = [
      row(null, 0, null),
      row("201", 5, null),
      row("101", 9, -0.2),
      row("202", 7, null),
      row("102", 1, 0.3),
    ];
    expect(byMargin(rows).map(({ estabelecimento_id: id }) => id)).toEqual([
      "102",
      "101",
      "202",
      "201",
      null,
    ]);
  });

  it("has the margins of the last five months, of units that have one", () => {
    const data = ["01", "02", "03", "04", "05", "06", "07"].flatMap((month) => [
      { estabelecimento_id: "101", mes: `2026-${month}-01`, margem: Number(month) / 100 },
      { estabelecimento_id: "102", mes: `2026-${month}-01`, margem: month === "03" ? null : 0.5 },
      { estabelecimento_id: "201", mes: `2026-${month}-01`, margem: null },
      { estabelecimento_id: null, mes: `2026-${month}-01`, margem: null },
    ]);
    const { months, rows } = marginRows({ data, totais: { margem: null } });
    expect([months[0], months.length]).toEqual(["2026-03-01", 5]);
    expect(rows).toEqual([
      { unit: "102", margins: [null, 0.5, 0.5, 0.5, 0.5] },
      { unit: "101", margins: [0.03, 0.04, 0.05, 0.06, 0.07] },
    ]);
  });

  it("leads to the bills of a unit, of no unit and of all", () => {
    const days = { from: "2026-10-01", to: "2026-10-31" };
    const listOf = (unit?: string | null) => readList(billsOf(month, days, unit), month, null);
    expect(listOf("101")).toMatchObject({ name: "contas", unit: "101", ...days });
    expect(listOf(null)).toMatchObject({ name: "contas-sem-unidade", unit: "", ...days });
    expect(listOf()).toMatchObject({ name: "contas", unit: "", ...days });
  });
});
