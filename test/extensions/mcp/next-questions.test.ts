// @module-tag server
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Assistant, type Cost, startAssistant } from "../../support/worker/agents.ts";
import { sql } from "../../support/worker/api.ts";
import { removeEdgeCaseRows } from "../../support/worker/edge-case-rows.ts";
import { solveAt } from "../../support/worker/plain-answers.ts";
import { daysFrom } from "../../support/worker/question-days.ts";
import { NEXT_QUESTIONS, NO_NEXT_QUESTION_ROWS, nextQuestionRows } from "./next-questions-sql.ts";

/**
 * Twenty questions of owners, managers, accountants and marketing people, answered by calls of tools alone. Plain SQL
 * over the base tables computes the right answers.
 */
const MAX_CALLS = 30;
const MAX_CHARACTERS = 40_000;
const OF_ONE = { calls: 2, characters: 3000 };
const MIN_IN_ONE_CALL = 5;

type Id = string | null;
type Row<Columns extends string> = Record<Columns, number> & {
  estabelecimento_id: Id;
  anterior: Row<Columns>;
};
interface Report<Of> {
  data: Of[];
  linhas: number;
  totais: Of;
}
interface Return {
  decididas: number;
  voltaram: number;
  retorno: number | null;
}

let assistant: Assistant;
/** The time of all questions, so that no minute passes between an answer and its SQL. */
let now: string;
let days: ReturnType<typeof daysFrom>;
let today: string;
const spent = new Map<string, Cost>();

/** Calls the tool of a report, and requires all rows unless `limite` asks for fewer. */
const report = async <Of>(tool: string, args: Record<string, string | number>): Promise<Report<Of>> => {
  const answer = await assistant.ask<Report<Of>>(tool, args);
  if (!("limite" in args)) expect(answer.data).toHaveLength(answer.linhas);
  return answer;
};

/** Computes the right answer. It must have rows, or no answer would be wrong. */
const solve = async (query: string) => {
  const rows = await solveAt(now, query);
  expect(rows.length).toBeGreaterThan(0);
  return rows;
};

const cents = (reais: number) => Math.round(reais * 100);

/** Some columns of rows, by another. */
const by = <Of extends object, Column extends keyof Of>(rows: Of[], key: keyof Of, ...columns: Column[]) =>
  new Map(rows.map((row) => [row[key], columns.map((column) => row[column])]));

/** The six months before last month. */
const sixMonths = () => ({ data_inicio: days.startOfMonth(-7), data_fim: days.endOfMonth(-1) });
const sinceAYear = () => ({ data_inicio: days.startOfMonth(-12), data_fim: days.endOf(0) });
/** Who came in five of these months, and not since. */
const lost = () => ({ ...sixMonths(), meses_min: 5, sem_visita_desde: days.startOfMonth(-1) });

interface Answer {
  answer: (query: string) => Promise<void>;
  /** The most characters of its results, where not `OF_ONE`. */
  characters?: number;
}

const ANSWERS: Record<string, Answer["answer"] | Answer> = {
  "which unit lost most regulars": async (query) => {
    const { data } = await report<Row<"clientes">>("clientes", {
      por: "unidade",
      medidas: "clientes",
      ...lost(),
    });
    const rows = await solve(query);
    expect(data[0]?.clientes).toBe(rows[0]?.clientes);
    expect(by(data, "estabelecimento_id", "clientes")).toEqual(by(rows, "estabelecimento_id", "clientes"));
  },

  "how many reais of fees each payment method cost": async (query) => {
    const { data } = await report<{ forma_pagamento: Id; taxas: number }>("visitas", {
      por: "forma_pagamento",
      medidas: "taxas",
      periodo: "ano",
    });
    expect(by(data, "forma_pagamento", "taxas")).toEqual(by(await solve(query), "forma_pagamento", "taxas"));
  },

  "whose clients come back most often": async (query) => {
    const { data } = await report<Return & { profissional_salon_id: Id }>("servicos", {
      por: "profissional",
      medidas: "retorno,decididas,voltaram",
      ...sinceAYear(),
      ordem: "-retorno",
      limite: 10,
    });
    const rows = await solve(query);
    expect(data.map(({ retorno }) => retorno)).toEqual(rows.slice(0, 10).map(({ retorno }) => retorno));
    const right = by(rows, "profissional_salon_id", "decididas", "voltaram", "retorno");
    for (const [id, figures] of by(data, "profissional_salon_id", "decididas", "voltaram", "retorno"))
      expect(figures).toEqual(right.get(id));
  },

  "what share of revenue the three largest accounts are, by month": async (query) => {
    type Bill = { mes: string; nome_conta_classificacao: Id; valor_total: number };
    const periodo = "trimestre-passado";
    const bills = await report<Bill>("pagamentos", { por: "mes,conta", medidas: "valor_total", periodo });
    const revenue = await report<Bill>("faturamento", { por: "mes", medidas: "valor_total", periodo });
    const totals = new Map<Id, number>();
    for (const { nome_conta_classificacao: account, valor_total } of bills.data)
      if (account !== null) totals.set(account, (totals.get(account) ?? 0) + cents(valor_total));
    const largest = [...totals].sort(([, a], [, b]) => b - a).slice(0, 3);
    const names = new Set(largest.map(([name]) => name));
    const earned = by(revenue.data, "mes", "valor_total");
    const shares = bills.data
      .filter((row) => names.has(row.nome_conta_classificacao))
      .map((row) => ({ ...row, faturamento: earned.get(row.mes)?.[0] }));
    const rows = await solve(query);
    expect(new Set(shares)).toEqual(new Set(rows.map(({ share, ...others }) => others)));
  },

  "what professionals take against what customers buy": async (query) => {
    const { totais } = await report("vendas", { medidas: "valor_total,valor_profissional", periodo: "ano" });
    expect([totais]).toEqual(await solve(query));
  },

  "from which dates visits did not reach the ERP": async (query) => {
    const { data } = await report<{ dia: string; visitas: number; valor_total: number }>("visitas", {
      por: "dia,enviada",
      medidas: "visitas,valor_total",
      sent_to_erp: "false",
      periodo: "30-dias",
    });
    const columns = ["visitas", "valor_total"] as const;
    expect(by(data, "dia", ...columns)).toEqual(by(await solve(query), "dia", ...columns));
  },

  "how the first half of this month compares with last year, for stores alone": async (query) => {
    const { totais } = await report<Row<"valor_total">>("faturamento", {
      medidas: "valor_total",
      origem: "loja",
      data_inicio: days.startOfMonth(0),
      data_fim: days.endOfMonth(0, 14),
      comparar: "ano-anterior",
    });
    const [row] = await solve(query);
    expect([totais.valor_total, totais.anterior.valor_total]).toEqual([row?.valor_total, row?.anterior]);
  },

  "on which day and in which unit the ticket was highest this quarter": async (query) => {
    const { data } = await report<{ dia: string; estabelecimento_id: Id; ticket_medio: number }>(
      "faturamento",
      {
        por: "dia,unidade",
        medidas: "ticket_medio",
        origem: "salao",
        periodo: "trimestre",
        ordem: "-ticket_medio",
        limite: 1,
      },
    );
    const rows = await solve(query);
    expect(rows[0]?.ticket_medio).toBe(data[0]?.ticket_medio);
    expect(rows).toContainEqual(
      expect.objectContaining({ dia: data[0]?.dia, ticket_medio: data[0]?.ticket_medio }),
    );
  },

  "what each unit has to pay on the next payday": async (query) => {
    const month = Number(today.slice(8)) <= 5 ? 0 : 1;
    const { data } = await report<Row<"despesas">>("resultado", {
      por: "unidade",
      medidas: "despesas",
      data_inicio: days.startOfMonth(month, 4),
      data_fim: days.endOfMonth(month, 4),
    });
    const bills = data.filter(({ despesas }) => (despesas ?? 0) !== 0);
    expect(by(bills, "estabelecimento_id", "despesas")).toEqual(
      by(await solve(query), "estabelecimento_id", "despesas"),
    );
  },

  "which cost centres are above their average of six months": async (query) => {
    type Centre = { id_centro_custo: Id; valor_total: number };
    const byCentre = { por: "centro_custo", medidas: "valor_total" };
    const present = await report<Centre>("pagamentos", { ...byCentre, periodo: "mes-passado" });
    const before = by(
      (await report<Centre>("pagamentos", { ...byCentre, ...sixMonths() })).data,
      "id_centro_custo",
      "valor_total",
    );
    const above = present.data.filter(
      (row) =>
        row.id_centro_custo !== null &&
        6 * cents(row.valor_total) > cents(before.get(row.id_centro_custo)?.[0] ?? 0),
    );
    expect(by(above, "id_centro_custo", "valor_total")).toEqual(
      by(await solve(query), "id_centro_custo", "valor_total"),
    );
  },

  "how many clients of this year bought without a service": async (query) => {
    const { totais } = await report("clientes", {
      medidas: "clientes,valor_total",
      so_produtos: "true",
      periodo: "ano",
    });
    expect([totais]).toEqual(await solve(query));
  },

  "how Saturday after 18h compares with Saturday before 12h, by unit": async (query) => {
    const saturdays = { por: "unidade", medidas: "valor_total", dia_semana: 6, periodo: "90-dias" };
    const early = await report<Row<"valor_total">>("faturamento", { ...saturdays, hora_max: 11 });
    const late = await report<Row<"valor_total">>("faturamento", { ...saturdays, hora_min: 18 });
    const [before, after] = [early, late].map(({ data }) => by(data, "estabelecimento_id", "valor_total"));
    const units = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
    const rows = [...units].map((unit) => ({
      estabelecimento_id: unit,
      before_12: before?.get(unit)?.[0] ?? 0,
      after_18: after?.get(unit)?.[0] ?? 0,
    }));
    expect(new Set(rows)).toEqual(new Set(await solve(query)));
  },

  "why last week fell": async (query) => {
    const { data } = await report<Row<"valor_total" | "visitas">>("faturamento", {
      por: "unidade",
      medidas: "valor_total,visitas",
      periodo: "semana-passada",
      comparar: "anterior",
      ordem: "variacao",
    });
    const rows = data.map((row) => ({
      estabelecimento_id: row.estabelecimento_id,
      valor_total: row.valor_total,
      visitas: row.visitas,
      anterior_valor_total: row.anterior.valor_total,
      anterior_visitas: row.anterior.visitas,
    }));
    const right = await solve(query);
    expect(rows[0]).toEqual(right[0]);
    expect(new Set(rows)).toEqual(new Set(right));
  },

  "whether this month's goal will be reached": async (query) => {
    const yesterday = days.day(-1);
    const { data } = await report<{ mes: string; valor_com_meta: number; meta: number }>("faturamento", {
      por: "mes",
      medidas: "valor_com_meta,meta",
      data_inicio: `${yesterday.slice(0, 7)}-01T00:00:00-03:00`,
      data_fim: days.endOf(-1),
    });
    const [year, month, ran] = yesterday.split("-").map(Number) as [number, number, number];
    const all = new Date(Date.UTC(year, month, 0)).getUTCDate();
    const answers = data.map((row) => {
      const pace = Math.round((cents(row.valor_com_meta) / ran) * all) / 100;
      return { ...row, pace, is_reached: pace >= row.meta };
    });
    expect(answers).toEqual(await solve(query));
  },

  "how many courtesies each professional gave": async (query) => {
    const { data } = await report<{ profissional_salon_id: Id; cortesias: number }>("servicos", {
      por: "profissional",
      medidas: "cortesias",
      periodo: "ano",
      ordem: "-cortesias",
      limite: 30,
    });
    const gave = data.filter(({ cortesias }) => cortesias > 0);
    const rows = await solve(query);
    expect(gave.map((row) => row.cortesias)).toEqual(rows.slice(0, 30).map((row) => row.cortesias));
    const right = by(rows, "profissional_salon_id", "cortesias");
    for (const [id, figures] of by(gave, "profissional_salon_id", "cortesias"))
      expect(figures).toEqual(right.get(id));
  },

  "what is left of each unit in each month of this year": {
    // Eleven units in up to twelve months are 132 rows. Each names its month and its unit.
    characters: 15_000,
    answer: async (query) => {
      const { data } = await report<{ estabelecimento_id: Id; mes: string; resultado: number }>("resultado", {
        por: "unidade,mes",
        medidas: "resultado",
        periodo: "ano",
        limite: 1100,
      });
      const rows = (all: Record<string, unknown>[]) =>
        new Map(all.map((row) => [`${row.estabelecimento_id} ${row.mes}`, row.resultado]));
      expect(rows(data)).toEqual(rows(await solve(query)));
    },
  },

  "whether new clients come back within 90 days, by unit": async (query) => {
    const columns = ["decididas", "voltaram", "retorno"] as const;
    const { data } = await report<Return & { estabelecimento_id: Id }>("visitas", {
      por: "unidade",
      medidas: columns.join(),
      novos: "true",
      retorno_dias: 90,
      ...sinceAYear(),
    });
    expect(by(data, "estabelecimento_id", ...columns)).toEqual(
      by(await solve(query), "estabelecimento_id", ...columns),
    );
  },

  // By weekday and hour alone, an hour in which the salons are closed would have a row, too.
  "which hour is best for a promotion": async (query) => {
    type Hour = { dia_semana: number; hora: number; visitas: number };
    const { data } = await report<Hour>("faturamento", {
      por: "dia_semana,hora,origem",
      medidas: "visitas",
      origem: "salao",
      periodo: "90-dias",
      ordem: "visitas",
      limite: 20,
    });
    const best = data.find(({ visitas }) => visitas > 0);
    const rows = await solve(query);
    expect(best).toEqual({ ...rows[0], origem: "salao" });
  },

  "how many reais the lost regulars spent a month": async (query) => {
    const { totais } = await report<Row<"clientes" | "valor_total">>("clientes", {
      medidas: "clientes,valor_total",
      ...lost(),
    });
    const a_month = Math.round(cents(totais.valor_total) / 6) / 100;
    expect([{ ...totais, a_month }]).toEqual(await solve(query));
  },

  "which first-visit month keeps its clients best": async (query) => {
    const columns = ["decididas", "voltaram", "retorno"] as const;
    const { data } = await report<Return & { mes: string }>("visitas", {
      por: "mes",
      medidas: columns.join(),
      novos: "true",
      retorno_dias: 90,
      data_inicio: days.startOfMonth(-13),
      data_fim: days.endOfMonth(-4),
      ordem: "-retorno",
    });
    const [rows, right] = [data, (await solve(query)) as typeof data].map((all) =>
      all.filter(({ decididas }) => decididas > 0),
    );
    expect(rows?.[0]?.retorno).toBe(right?.[0]?.retorno);
    expect(by(rows ?? [], "mes", ...columns)).toEqual(by(right ?? [], "mes", ...columns));
  },
};

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  now = new Date().toISOString();
  await removeEdgeCaseRows();
  assistant = await startAssistant();
  today = (await assistant.ask<{ hoje: string }>("frescor")).hoje;
  days = daysFrom(today);
  Object.assign(assistant.cost, { calls: 0, characters: 0 });
  for (const statement of nextQuestionRows(now)) await sql.query(statement);
});

afterAll(async () => {
  vi.useRealTimers();
  for (const statement of NO_NEXT_QUESTION_ROWS) await sql.query(statement);
});

it.each(NEXT_QUESTIONS)("answers $name (R25, R26, R27)", async ({ name, sql: query }) => {
  const answer = ANSWERS[name];
  if (answer === undefined) throw new Error(`no answer to: ${name}`);
  const { characters = OF_ONE.characters, ...entry } = typeof answer === "function" ? { answer } : answer;
  const before = { ...assistant.cost };
  await entry.answer(query);
  const cost = {
    calls: assistant.cost.calls - before.calls,
    characters: assistant.cost.characters - before.characters,
  };
  spent.set(name, cost);
  expect(cost.calls).toBeLessThanOrEqual(OF_ONE.calls);
  expect(cost.characters).toBeLessThanOrEqual(characters);
});

it("answers the twenty questions in 30 calls and 40,000 characters, five of them in one call (M2, M4)", () => {
  const { calls, characters } = assistant.cost;
  const lines = [...spent].map(
    ([name, cost]) => `${cost.calls} calls, ${cost.characters} characters: ${name}`,
  );
  console.log([...lines, `${calls} calls, ${characters} characters`].join("\n"));
  expect(spent.size).toBe(20);
  expect([...spent.values()].filter((cost) => cost.calls === 1).length).toBeGreaterThanOrEqual(
    MIN_IN_ONE_CALL,
  );
  expect(calls).toBeLessThanOrEqual(MAX_CALLS);
  expect(characters).toBeLessThanOrEqual(MAX_CHARACTERS);
});
