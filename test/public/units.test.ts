// The panel's units and team: why a revenue changed, and what is asked.
import { describe, expect, it } from "vitest";
import { namesIn, ranked, unitsText } from "../../public/painel/people.ts";
import { keyOf } from "../../public/painel/tabs/equipe/report.ts";
import { pairPoints } from "../../public/painel/tabs/unidades/course.ts";
import { mainReason, reasonsOf, salesReasons } from "../../public/painel/tabs/unidades/reasons.ts";
import { courseStep } from "../../public/painel/tabs/unidades/revenue.ts";
import { readView } from "../../public/painel/view.ts";

const clock = { today: "2026-11-27", hour: 10 };
const view = readView("", clock);
const years = readView("?periodo=datas&de=2024-01-01&ate=2026-11-27", clock);
const revenue = (visitas: number, valor_servicos: number, valor_produtos: number) => ({
  visitas,
  valor_servicos,
  valor_produtos,
  valor_total: Math.round(100 * (valor_servicos + valor_produtos)) / 100,
  ticket_medio: null,
});
const before = revenue(15, 4833.31, 108.54);
const now = revenue(12, 2839.57, 0);

describe("why the revenue of a unit changed", () => {
  it("splits the change into visits at the earlier value, value per visit, and products", () => {
    expect(reasonsOf(now, before).map(({ reais }) => reais)).toEqual([-966.66, -1027.08, -108.54]);
  });

  it("adds up to the change to the cent, whatever the rounding", () => {
    for (const visits of [0, 1, 7, 13]) {
      const after = revenue(visits, visits * 33.33, 0.07);
      const cents = reasonsOf(after, before).reduce((sum, { reais }) => sum + Math.round(reais * 100), 0);
      expect(cents).toBe(Math.round(after.valor_total * 100) - Math.round(before.valor_total * 100));
    }
  });

  it("names the largest part that goes the way of the change", () => {
    const reasons = reasonsOf(revenue(30, 5000, 0), before);
    expect(mainReason(reasons, 58.15)?.cause).toBe("15 atendimentos a mais");
  });

  it("gives no reasons without earlier visits or an earlier revenue", () => {
    expect(reasonsOf(now, undefined)).toEqual([]);
    expect(reasonsOf(now, revenue(0, 0, 50))).toEqual([]);
    expect(reasonsOf(now, revenue(2, 0, 0))).toEqual([]);
  });
});

describe("why the sales of a store changed", () => {
  const past = { vendas: 52, valor_total: 14073.11 };
  const present = { vendas: 58, valor_total: 14623.26 };

  it("splits the change into sales at the earlier value, and value per sale, to the cent", () => {
    expect(salesReasons(present, past).map(({ name, reais }) => [name, reais])).toEqual([
      ["Número de vendas", 1623.82],
      ["Valor por venda", -1073.67],
    ]);
    for (const vendas of [0, 1, 7, 53]) {
      const after = { vendas, valor_total: Math.round(vendas * 3333) / 100 };
      const cents = salesReasons(after, past).reduce((sum, { reais }) => sum + Math.round(reais * 100), 0);
      expect(cents).toBe(Math.round(after.valor_total * 100) - 1407311);
    }
  });

  it("says what it was, and what it is", () => {
    expect(salesReasons(present, past).map(({ detail }) => detail.replaceAll("\u{a0}", " "))).toEqual([
      "58 vendas, antes 52",
      "R$ 252,13, antes R$ 270,64",
    ]);
  });

  it("gives no reasons without earlier sales", () => {
    expect(salesReasons(present, undefined)).toEqual([]);
    expect(salesReasons(present, { vendas: 0, valor_total: 0 })).toEqual([]);
    expect(salesReasons(present, { vendas: 2, valor_total: 0 })).toEqual([]);
  });
});

describe("the course of units", () => {
  it("takes the finest step of which all rows fit into one answer", () => {
    expect(courseStep(readView("?periodo=hoje", clock), 10)).toBe("hora");
    expect(courseStep(view, 10)).toBe("dia");
    expect(courseStep(view, 100)).toBe("mes");
    expect(courseStep(years, 10)).toBe("mes");
    expect(courseStep(years, 100)).toBeUndefined();
  });

  it("adds up two units day by day, and keeps days without sales", () => {
    const row = (dia: string, estabelecimento_id: string, valor_total: number) => ({
      dia,
      estabelecimento_id,
      unidade_nome: null,
      valor_total,
    });
    const data = [
      row("2026-11-01", "1", 0.1),
      row("2026-11-01", "3", 9),
      row("2026-11-03", "1", 0.2),
      row("2026-11-03", "2", 5),
    ];
    const points = pairPoints(view, "dia", { data, totais: { valor_total: 14.3 } }, ["1", "2"]);
    expect(points).toHaveLength(27);
    expect(points.slice(0, 3).map(({ value, earlier }) => [value, earlier])).toEqual([
      [0.1, 0],
      [0.1, 0],
      [0.3, 5],
    ]);
  });
});

describe("the team", () => {
  it("puts services without a professional, and then those without services in the period, last (A2)", () => {
    const row = (id: string | null, servicos: number) => ({
      profissional: id,
      profissional_salon_id: id,
      servicos,
      cortesias: servicos,
      valor_total: 0,
      visitas: servicos,
    });
    const rows = [row("a", 0), row(null, 9), row("b", 1), row("c", 0)];
    expect(ranked(rows).map(({ profissional }) => profissional)).toEqual(["b", null, "a", "c"]);
    expect(new Set(rows.map(keyOf)).size).toBe(4);
  });

  it("names the units of a person, another name that one has there, and that some are left out (A2)", () => {
    const at = (unit: string, profissional_salon_id: string, profissional: string, servicos: number) => ({
      estabelecimento_id: unit,
      unidade_nome: null,
      profissional,
      profissional_salon_id,
      servicos,
    });
    const data = [
      at("1", "a", "Ana", 2),
      at("2", "a", "Ana", 3),
      at("3", "a", "Ana", 0),
      at("1", "b", "Bia", 1),
      at("2", "b", "Bianca", 1),
      at("1", "c", "Carla", 0),
    ];
    const namesOf = namesIn({ data }, (id) => `Unidade ${id}`);
    const of = (id: string, profissional: string, servicos: number) =>
      namesOf({ profissional_salon_id: id, profissional, servicos });
    expect(of("a", "Ana", 5)).toEqual({ name: "Ana", units: ["Unidade 2", "Unidade 1"] });
    expect(of("a", "Ana", 6).units).toEqual(["Unidade 2", "Unidade 1", "outras unidades"]);
    expect(of("b", "Bia", 2)).toEqual({ name: "Bia", units: ["Unidade 1", "Unidade 2 (como Bianca)"] });
    expect(of("c", "Carla", 0)).toEqual({ name: "Carla", units: ["Unidade 1"] });
    expect([[], ["A"], ["A", "B"], ["A", "B", "C"]].map(unitsText)).toEqual([
      "",
      "A",
      "A e mais 1",
      "A e mais 2",
    ]);
  });
});
