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
  faturamento_hoje: { data: [] },
  faturamento_semanas: { data: [] },
  metas_por_unidade: { data: [] },
  pagamentos: null,
  pendentes_antigos: { totais: { visitas: 0, valor_total: 0 } },
  pendentes_60_dias: { totais: { visitas: 0, valor_total: 0 } },
  lancamentos_pendentes_antigos: { totais: { lancamentos: 0, valor_total: 0 } },
  lancamentos_pendentes_60_dias: { totais: { lancamentos: 0, valor_total: 0 } },
  frescor: { data: [] },
  ...more,
});

interface Line {
  title: string;
  detail: string;
  value: string;
  to: string;
}

/** The lines about last month, or another view. */
const linesOf = (body: object, { unit = "", period = "mes-passado" } = {}): Line[] => {
  const view = readView(`?periodo=${period}&unidade=${unit}`, { today: "2026-11-28", hour: 12 });
  return attentionLines(body, view, (id: string) => id, 0);
};
const plain = (text: string) => text.replaceAll("\u00a0", " ");
const textsOf = (...asked: Parameters<typeof linesOf>) =>
  linesOf(...asked).map(({ title, detail, value }) => [title, plain(detail), plain(value)]);

const due = (faixa: string, valor_pendente: number) => ({
  faixa,
  pendentes: 1,
  valor_pendente,
  vencimento_mais_antigo: "2025-03-10",
  id_centro_custo: null,
});
const failedJob = { job_name: "send-pagar", ultimo_sucesso: null, ultima_falha: "2026-11-28T11:00:00-03:00" };

describe("what needs attention on Início", () => {
  it("is each unit that fell by 5 % from R$ 300 on, by reais, and none that closed (A2)", () => {
    const units: Pairs = {
      closed: [0, 9000],
      small: [0, 299.99],
      large: [4000, 5000],
      other: [380, 400],
      same: [381, 400],
    };
    expect(textsOf(answer(units))).toEqual([
      ["large caiu 20,0%", "R$ 4.000,00, antes R$ 5.000,00", "−R$ 1.000"],
      ["other caiu 5,0%", "R$ 380,00, antes R$ 400,00", "−R$ 20"],
    ]);
  });

  const waiting = (visitas: number, valor_total: number) => ({ totais: { visitas, valor_total } });
  it("is what was not sent for a day; what is older than 60 days is named and does not rank (A2)", () => {
    const entries = (lancamentos: number, valor_total: number) => ({ totais: { lancamentos, valor_total } });
    const body = answer(
      {},
      {
        pendentes_antigos: waiting(5, 1000.3),
        pendentes_60_dias: waiting(3, 990.1),
        lancamentos_pendentes_antigos: entries(2, 50),
      },
    );
    expect(textsOf(body)).toEqual([
      ["Lançamentos não enviados", "2 lançamentos em 60 dias", "R$ 50"],
      ["Atendimentos não enviados", "2 atendimentos em 60 dias e R$ 990 de antes", "R$ 10"],
    ]);
    const [entriesLine, visitsLine] = linesOf(body);
    expect(entriesLine?.to).toContain("aba=financeiro&parte=envio");
    expect(visitsLine?.to).toContain("lista=pendentes-antigos");
  });

  it("is what waits for more than 60 days alone, with its sum and its list, and does not rank (A2)", () => {
    const body = answer(
      {},
      {
        pendentes_antigos: waiting(3, 990.1),
        pendentes_60_dias: waiting(3, 990.1),
        pagamentos: { data: [due("vencida", 10)] },
      },
    );
    expect(textsOf(body)[1]).toEqual([
      "Atendimentos não enviados",
      "3 atendimentos há mais de 60 dias",
      "R$ 990",
    ]);
    expect(linesOf(body)[1]?.to).toContain("lista=todos-pendentes");
  });

  it("is no payment of a unit without a cost centre (R20)", () => {
    const body = answer({}, { pagamentos: { data: [due("vencida", 10)] } });
    expect(textsOf(body)).toEqual([["Pagamentos vencidos", "1 conta · desde 10/03/2025", "R$ 10"]]);
    expect(linesOf(body, { unit: "small" })).toEqual([]);
  });

  const goal = (id: string, meta: number) => ({ estabelecimento_id: id, meta });
  it("is a goal that a unit missed, unless the service left out some (A2)", () => {
    const goals = (linhas: number) =>
      answer({}, { metas_por_unidade: { data: [goal("large", 1000)], linhas } });
    expect(textsOf(goals(1))).toEqual([
      ["large abaixo da meta", "o que faltou no mês · 0,0% da meta", "R$ 1.000"],
    ]);
    expect(textsOf(goals(2))).toEqual([]);
  });

  it("is what the units lack in all that will miss the goal of this month at their pace (A2, B1)", () => {
    // Of 28 November, a Saturday, to the 30th. Of each weekday, eight weeks had 80: three days more are 30.
    const weeks = [1, 6, 7].map((dia_semana) => ({
      estabelecimento_id: "large",
      dia_semana,
      valor_total: 80,
    }));
    const body = answer(
      { large: [270, 0], small: [270, 0] },
      {
        faturamento_semanas: { data: weeks },
        metas_por_unidade: { data: [goal("small", 315), goal("large", 600)] },
      },
    );
    const [line] = linesOf(body, { period: "mes" });
    expect(textsOf(body, { period: "mes" })).toEqual([
      ["2 unidades abaixo da meta", "o que faltará no ritmo de agora", "R$ 345"],
    ]);
    expect(line?.to).toContain("aba=unidades");
  });

  it("is at most six lines, the largest first, after a job that failed (A2)", () => {
    const units: Pairs = { a: [0, 700], b: [0, 600], c: [0, 500], d: [0, 400] };
    const body = answer(units, {
      pagamentos: { data: [due("vencida", 650), due("hoje", 10)] },
      pendentes_antigos: waiting(2, 10_000),
      pendentes_60_dias: waiting(1, 9450),
      frescor: { data: [failedJob] },
    });
    expect(textsOf(body).map(([title, , value]) => [title, value])).toEqual([
      ["Envio dos pagamentos ao sistema do salão", "Falhou na última execução"],
      ["a caiu 100,0%", "−R$ 700"],
      ["Pagamentos vencidos", "R$ 650"],
      ["b caiu 100,0%", "−R$ 600"],
      ["Atendimentos não enviados", "R$ 550"],
      ["c caiu 100,0%", "−R$ 500"],
    ]);
  });
});
