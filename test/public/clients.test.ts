import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// The types of these modules need the DOM, which this TypeScript project does not have.
const [
  { cohortPaths, cohortsOf },
  { peopleOf, serviceNames, servicesOf },
  { finishedMonths, twelveMonths },
  { followsPeriod },
  { readView },
] = await Promise.all(
  [
    "tabs/mais/cohorts.ts",
    "tabs/mais/client-visits.ts",
    "tabs/mais/client-reports.ts",
    "links.ts",
    "view.ts",
  ].map((name) => import(join(ROOT, "public/painel", name))),
);

const viewOn = (today: string) => readView("", { today, hour: 12 });

describe("the clients of /painel", () => {
  it.each([
    ["2026-11-29", "2025-12-01"],
    ["2026-12-01", "2026-01-01"],
    ["2027-01-31", "2026-02-01"],
  ])("are of this month and the eleven before it: on %s (R25)", (today, from) => {
    expect(twelveMonths(viewOn(today))).toEqual({ from, to: today });
  });

  it.each([
    ["2026-11-29T12:00:00-03:00", "2025-11-01", "2026-10-31"],
    ["2026-12-01T00:04:00-03:00", "2025-12-01", "2026-11-30"],
    // Still November in Brasília.
    ["2026-12-01T00:04:00+00:00", "2025-11-01", "2026-10-31"],
  ])(
    "are of months that the data has passed, for a reader without personal data: until %s (R24)",
    (until, from, to) => {
      expect(finishedMonths(Date.parse(until))).toEqual({ from, to });
    },
  );

  it("asks for the cohorts of five months with three reports, also in January (R25)", () => {
    const asked = cohortPaths(viewOn("2027-01-10")).map((path: string) => {
      const query = new URLSearchParams(path.split("?")[1]);
      return [
        query.get("data_inicio")?.slice(0, 10),
        query.get("data_fim")?.slice(0, 10),
        query.get("comparar"),
      ];
    });
    expect(asked).toEqual([
      ["2027-01-01", "2027-01-10", null],
      ["2026-12-01", "2026-12-31", "mes-anterior"],
      ["2026-10-01", "2026-10-31", "mes-anterior"],
    ]);
  });

  it("puts each month of a cohort in its column (R25)", () => {
    const report = (rows: [cohort: string, now: number, before?: number][]) => ({
      data: rows.map(([coorte, clientes, before]) => ({
        coorte,
        clientes,
        ...(before !== undefined && { anterior: { clientes: before } }),
      })),
    });
    const cohorts = cohortsOf(viewOn("2027-01-10"), [
      report([
        ["2026-09-01", 1],
        ["2026-12-01", 4],
        ["2027-01-01", 50],
      ]),
      report([
        ["2026-09-01", 2, 3],
        ["2026-12-01", 40, 0],
      ]),
      report([["2026-09-01", 5, 60]]),
    ]);
    expect(cohorts).toEqual([
      { month: "2026-09-01", newClients: 60, returned: [5, 3, 2, 1] },
      { month: "2026-10-01", newClients: 0, returned: [0, 0, 0] },
      { month: "2026-11-01", newClients: 0, returned: [0, 0] },
      { month: "2026-12-01", newClients: 40, returned: [4] },
      { month: "2027-01-01", newClients: 50, returned: [] },
    ]);
  });

  it("counts services and professionals of visits whose services have any shape (V5)", () => {
    const visits = [
      {
        servicos: [
          { nome: " Luzes ", idProfissionalQueRealizouServico: 7, profissional_nome: "Ana" },
          { nome: "Luzes", idProfissionalQueRealizouServico: "7" },
          { nome: 5, idProfissionalQueRealizouServico: { id: 1 } },
          null,
          "Escova",
        ],
      },
      { servicos: null },
    ];
    expect(servicesOf(visits)).toEqual([
      { name: "Luzes", times: 2 },
      { name: "Serviço sem nome", times: 1 },
    ]);
    expect(peopleOf(visits, () => "?")).toEqual([
      { id: "7", name: "Ana", times: 2 },
      { id: null, name: "?", times: 1 },
    ]);
    expect(serviceNames(visits[0])).toBe("Luzes, Luzes, Serviço sem nome");
  });

  it.each([
    ["inicio", "", true],
    ["financeiro", "", true],
    ["financeiro", "contas", false],
    ["mais", "clientes", true],
    ["mais", "cliente", false],
    ["mais", "assiduos", false],
    ["equipe", "pessoa", true],
  ])("follow the period or not: %s %s: %s (A2)", (tab, part, follows) => {
    expect(followsPeriod({ tab, part }, undefined)).toBe(follows);
  });
});
