// The panel's payments by due day, and the lists that they lead to.
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// A list belongs to the tab in the address.
vi.stubGlobal("location", { search: "?aba=financeiro" });

// The types of these modules need the DOM, which this TypeScript project does not have.
const [{ bandsPath, dueDaysPath, dueRows, sumIn }, { readList }, { duePath }, { readView, wholeDays }] =
  await Promise.all(
    ["tabs/financeiro/due.ts", "links.ts", "ranges.ts", "view.ts"].map(
      (name) => import(join(ROOT, "public/painel", name)),
    ),
  );

interface Line {
  day?: string;
  status: string;
  count: number;
  value: number;
  to?: string;
}

const view = readView("", { today: "2026-11-27", hour: 10 });
const band = (
  faixa: "vencida" | "7-dias" | "depois" | "sem-data",
  pendentes: number,
  valor_pendente: number,
) => ({
  id_centro_custo: "7001",
  faixa,
  pendentes,
  valor_pendente,
  vencimento_mais_antigo: faixa === "sem-data" ? null : "2024-01-06",
});
const totais = { pendentes: 0, valor_pendente: 0, vencimento_mais_antigo: null };
const bands = {
  data: [
    band("vencida", 3, 30.3),
    band("7-dias", 1, 0.1),
    band("depois", 2, 5.5),
    band("sem-data", 1, 7.7),
    { ...band("vencida", 9, 900), id_centro_custo: "7002" },
  ],
  totais,
};
const days = {
  data: [
    { dia: "2026-03-01", pendentes: 1, valor_pendente: 10.1 },
    { dia: "2026-03-02", pendentes: 0, valor_pendente: 0 },
    { dia: "2026-12-01", pendentes: 1, valor_pendente: 0.1 },
  ],
  totais,
};
const rows: Line[] = dueRows(bands, days, view, "7001");

describe("payments by due day", () => {
  it("adds up to all that the cost centre has pending", () => {
    expect(rows.map(({ day, status, count, value }) => [day, status, count, value])).toEqual([
      [undefined, "Vencido", 2, 20.2],
      ["2026-03-01", "Vencido", 1, 10.1],
      ["2026-12-01", "A vencer", 1, 0.1],
      [undefined, "A vencer", 2, 5.5],
      [undefined, "Sem data", 1, 7.7],
    ]);
  });

  it("leads each line to the list of exactly its days", () => {
    expect(rows.map(({ to }) => to && readList(to, view, null))).toEqual([
      { name: "vencimento", page: 1, unit: "", to: "2025-11-26" },
      { name: "vencimento", page: 1, unit: "", from: "2026-03-01", to: "2026-03-01" },
      { name: "vencimento", page: 1, unit: "", from: "2026-12-01", to: "2026-12-01" },
      { name: "vencimento", page: 1, unit: "", from: "2026-12-27" },
      undefined,
    ]);
  });

  it("asks for 395 days, and for all time without them (R22)", () => {
    const asked = new URL(dueDaysPath(view, "7001"), "http://localhost").searchParams;
    expect([asked.get("data_inicio"), asked.get("data_fim"), asked.get("id_centro_custo")]).toEqual([
      "2025-11-27T00:00:00-03:00",
      "2026-12-26T23:59:59.999999-03:00",
      "7001",
    ]);
    expect(bandsPath).not.toContain("data_");
  });

  it("sums the bands of every cost centre if none is chosen", () => {
    expect(sumIn(bands, ["vencida"], undefined)).toEqual({ count: 12, value: 930.3, oldest: "2024-01-06" });
  });
});

describe("entries by due date", () => {
  it.each([
    ["", { periodo: "mes" }, "2026-11-01", "2026-11-30"],
    ["?periodo=ano", { periodo: "ano" }, "2026-01-01", "2026-12-31"],
    [
      "?periodo=hoje",
      { data_inicio: "2026-11-27T00:00:00-03:00", data_fim: "2026-11-27T23:59:59.999999-03:00" },
      "2026-11-27",
      "2026-11-27",
    ],
    [
      "?de=2026-11-01&ate=2026-12-15",
      { data_inicio: "2026-11-01T00:00:00-03:00", data_fim: "2026-12-15T23:59:59.999999-03:00" },
      "2026-11-01",
      "2026-12-15",
    ],
  ])("are of the whole period, also of the days to come: %s (R9)", (search, range, from, to) => {
    const of = readView(search, view.clock);
    const asked = new URL(duePath("lancamentos", of, { por: "pessoa" }), "http://localhost").searchParams;
    expect(Object.fromEntries(asked)).toMatchObject(range);
    expect([...asked.keys()].filter((name) => name.startsWith("data_") || name === "periodo")).toEqual(
      Object.keys(range),
    );
    expect(wholeDays(of)).toEqual({ from, to });
  });
});
