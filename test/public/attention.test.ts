import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// Links keep the tab of the URL.
vi.stubGlobal("location", { search: "" });
// The types of these modules need the DOM, which this TypeScript project does not have.
const [{ attentionLines }, { readView }] = await Promise.all(
  ["tabs/inicio/attention.ts", "view.ts"].map((name) => import(join(ROOT, "public/painel", name))),
);

type Pairs = Record<string, [now: number, before: number]>;

/** An answer of Início in which nothing needs attention, but for what is given. */
const answer = (units: Pairs, more: object = {}) => ({
  unidades: ["closed", "large", "small"].map((id) => ({ salon_id: id, ativo: id !== "closed" })),
  faturamento_por_unidade: {
    data: Object.entries(units).map(([id, [now, before]]) => ({
      estabelecimento_id: id,
      valor_total: now,
      anterior: { valor_total: before },
    })),
  },
  faturamento_por_unidade_e_periodo: { data: [] },
  metas_por_unidade: { data: [] },
  pagamentos: null,
  pendentes: { totais: { visitas: 0 } },
  pendentes_antigos: { totais: { visitas: 0 } },
  lancamentos_pendentes: { totais: { lancamentos: 0 } },
  lancamentos_pendentes_antigos: { totais: { lancamentos: 0 } },
  frescor: { data: [], dados_ate: "2026-11-28T12:00:00-03:00" },
  ...more,
});

/** The titles and the details of the lines about last month, or another view. */
const linesOf = (body: object, { unit = "", period = "mes-passado" } = {}) => {
  const view = readView(`?periodo=${period}&unidade=${unit}`, { today: "2026-11-28", hour: 12 });
  const lines = attentionLines(body, view, (id: string) => id, 0) as { title: string; detail: string }[];
  return lines.map(({ title, detail }) => [title, detail.replaceAll("\u00a0", " ")]);
};

describe("what needs attention on Início", () => {
  it.each<[what: string, units: Pairs, title: string]>([
    [
      "by reais, not by per cent",
      { closed: [0, 9000], small: [0, 400], large: [4000, 5000] },
      "large caiu 20,0%",
    ],
    ["from 5 % on", { closed: [0, 9000], small: [380, 400], large: [4800, 5000] }, "small caiu 5,0%"],
  ])("is the unit that fell most, %s, and none that closed (A2)", (_, units, title) => {
    expect(linesOf(answer(units)).map(([first]) => first)).toEqual([title]);
  });

  it("is no unit that had less than R$ 300 (A2)", () => {
    expect(linesOf(answer({ closed: [0, 9000], small: [0, 299.99], large: [7000, 5000] }))).toEqual([]);
  });

  it.each([
    ["2026-11-28T12:00:00-03:00", "ontem"],
    ["2026-11-25T12:00:00-03:00", "24/11"],
    [null, "ontem"],
  ])("is what was due a day before the data ends, at %s, and should be sent (A2)", (until, day) => {
    const entries = (lancamentos: number) => ({ totais: { lancamentos, valor_total: 10 } });
    const body = answer(
      {},
      {
        lancamentos_pendentes: entries(5),
        lancamentos_pendentes_antigos: entries(3),
        frescor: { data: [], dados_ate: until },
      },
    );
    expect(linesOf(body)).toEqual([
      ["Não enviados ao salão", `3 de 5 lançamentos com vencimento até ${day}`],
    ]);
  });

  it("is what was not sent for a day (A2)", () => {
    const visits = (visitas: number) => ({
      totais: { visitas, valor_total: 10, primeira_visita: "2026-01-02T12:00:00-03:00" },
    });
    const body = answer({}, { pendentes: visits(5), pendentes_antigos: visits(3) });
    expect(linesOf(body)).toEqual([
      ["Não enviados ao ERP", "3 de 5 atendimentos há mais de um dia · desde 02/01/2026"],
    ]);
  });

  it("is no payment of a unit without a cost centre (R20)", () => {
    const due = { faixa: "vencida", pendentes: 1, valor_pendente: 10, vencimento_mais_antigo: "2025-03-10" };
    const body = answer({}, { pagamentos: { data: [{ ...due, id_centro_custo: null }] } });
    expect(linesOf(body)).toEqual([["Pagamentos vencidos", "1 conta · desde 10/03/2025"]]);
    expect(linesOf(body, { unit: "small" })).toEqual([]);
  });

  it("is a goal that a unit missed, unless the service left out some (A2)", () => {
    const data = [{ estabelecimento_id: "large", mes: "2026-10-01", meta: 1000 }];
    const goals = (linhas: number) => answer({}, { metas_por_unidade: { data, linhas } });
    expect(linesOf(goals(1))).toEqual([["large não bateu a meta", "R$ 0,00: 0,0% de R$ 1.000"]]);
    expect(linesOf(goals(2))).toEqual([]);
  });

  it("is the goal of this month that a unit will miss at its pace by most reais (A2)", () => {
    const goal = (id: string, meta: number) => ({ estabelecimento_id: id, mes: "2026-11-01", meta });
    const day = (id: string) => ({ estabelecimento_id: id, dia: "2026-11-01", valor_total: 270 });
    const body = answer(
      {},
      {
        faturamento_por_unidade_e_periodo: { data: [day("small"), day("large"), day("closed")] },
        // Of 27 complete days, 270 become 300 in 30.
        metas_por_unidade: { data: [goal("small", 315), goal("large", 600), goal("closed", 9000)] },
      },
    );
    expect(linesOf(body, { period: "mes" })).toEqual([
      ["large: meta em risco", "neste ritmo, R$ 300: 50,0% de R$ 600"],
    ]);
  });
});
