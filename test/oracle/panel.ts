import type pg from "pg";
import type { Rights } from "../../src/core/rights.ts";
import { expectedFreshness, expectedReport, expectedUnits } from "./answers.ts";
import { dataInstant, earlierQuestion, reachedBy } from "./comparison.ts";
import { bodyOf, expectedAnswer } from "./general/compare-general.ts";
import type { Refusal } from "./general/expected-refusal.ts";
import { expectedRows } from "./general/expected-rows.ts";
import type { GeneralQuestion } from "./general/general-question.ts";
import type { PlainSource } from "./general/plain-source.ts";
import { SOURCES } from "./general/sources.ts";
import type { Instant } from "./instants.ts";
import { DAY, type Question } from "./questions.ts";

type Body = Record<string, unknown>;

/** The expected summary, or the expected refusal. @param now epoch milliseconds */
export const expectedSummary = async (
  db: pg.Client,
  question: Question,
  now: number,
): Promise<{ body: Body } | Refusal> => {
  const body = await expectedReport(db, "resumo", question);
  if (question.comparar === undefined) return { body };
  const earlier = await earlierQuestion(db, question, await reachedBy(db, "data-instant", question, now));
  if (earlier === undefined) return { status: 400, says: ["`comparar`"] };
  const { inicio, fim, ate } = earlier;
  return {
    body: {
      ...body,
      anterior: { inicio, fim, ate, ...(await expectedReport(db, "resumo", earlier.question)) },
    },
  };
};

/** Whose panel, and the time: epoch milliseconds. */
interface Reading {
  rights: Rights;
  now: number;
}

/** The visits not yet sent, of all time or until an instant. */
const unsent = async (db: pg.Client, filters: Record<string, string>, rights: Rights, to?: Instant) => {
  const medidas = ["visitas", "valor_total", "primeira_visita"];
  const question = { por: [], medidas, filters: { ...filters, sent_to_erp: "false" }, isCsv: false };
  const asked = { source: SOURCES.visitas as PlainSource, question, rights, range: { to } };
  const [totals = {}] = await expectedRows(db, { ...asked, isTotal: true });
  return bodyOf({ rows: await expectedRows(db, asked), totals, anterior: undefined }, undefined);
};

const BY_COST_CENTRE = {
  por: ["centro_custo", "faixa"],
  medidas: ["pendentes", "valor_pendente", "vencimento_mais_antigo"],
  filters: { situacao: "1" },
  from: undefined,
  to: undefined,
};

type Part = [report: string, asks: Partial<GeneralQuestion>, isNullable?: string];

/** Instants to which parts are bound (R7). */
interface Bounds {
  /** What is not sent is at least so old. */
  dayOld: Instant;
  sixtyDaysOld: Instant;
  /** The first instant of today in Brasília. */
  today: Instant;
}

/** Brasília is three hours behind UTC, without summer time since 2019. */
const THREE_HOURS = DAY / 8n;

const boundsOf = async (db: pg.Client, now: number): Promise<Bounds> => {
  const instant = await dataInstant(db, now);
  const today = (BigInt(now) * 1000n - THREE_HOURS) / DAY;
  return { dayOld: instant - DAY, sixtyDaysOld: instant - 60n * DAY, today: today * DAY + THREE_HOURS };
};
/** The questions of the parts, by name, and whether a part is null where its report is refused. */
const questionsOf = ({ granularidade = "mes", comparar, filters }: Question, bounds: Bounds) => {
  const pending = {
    medidas: ["lancamentos", "valor_total"],
    filters: { ...filters, sent_to_salon: "false" },
    from: undefined,
    to: undefined,
  };
  const old = { ...pending, data: "sincronizacao" };
  const { today } = bounds;
  const sales = { medidas: ["valor_total"] };
  return {
    faturamento: ["faturamento", { por: ["origem"], comparar }],
    faturamento_por_periodo: ["faturamento", { por: [granularidade], medidas: ["valor_total"], comparar }],
    metas: ["faturamento", { por: ["mes"], medidas: ["valor_total", "meta", "valor_com_meta"] }],
    metas_por_unidade: ["faturamento", { por: ["mes", "unidade"], medidas: ["meta"] }],
    faturamento_por_unidade: ["faturamento", { por: ["unidade"], comparar }],
    faturamento_por_unidade_e_periodo: [
      "faturamento",
      { por: [granularidade, "unidade"], medidas: ["valor_total"] },
    ],
    faturamento_hoje: ["faturamento", { ...sales, por: ["unidade"], from: today, to: today + DAY - 1n }],
    faturamento_semanas: [
      "faturamento",
      { ...sales, por: ["dia_semana", "unidade"], from: today - 56n * DAY, to: today - 1n },
    ],
    visitas: ["visitas", { comparar }],
    visitas_por_forma_pagamento: [
      "visitas",
      { por: ["forma_pagamento"], medidas: ["visitas", "valor_total", "taxas"] },
    ],
    clientes: ["visitas", { medidas: ["clientes", "clientes_novos"], comparar }, "or null"],
    lancamentos_pendentes: ["lancamentos", pending],
    lancamentos_pendentes_antigos: ["lancamentos", { ...old, to: bounds.dayOld }],
    lancamentos_pendentes_60_dias: ["lancamentos", { ...old, to: bounds.sixtyDaysOld }],
    pagamentos: ["pagamentos", BY_COST_CENTRE, "or null"],
    servicos_por_profissional: [
      "servicos",
      { por: ["profissional"], ordem: "-valor_total", limite: 10, comparar },
    ],
    servicos_por_unidade_e_profissional: [
      "servicos",
      { por: ["unidade", "profissional"], medidas: ["servicos"], comparar },
    ],
  } satisfies Record<string, Part>;
};

/** The series of the earlier range in full, also beyond the data instant. */
const earlierInFull = async (db: pg.Client, question: Question, { rights, now }: Reading) => {
  const { filters, granularidade = "mes" } = question;
  const earlier = await earlierQuestion(db, question, undefined);
  const { from, to } = earlier?.question ?? question;
  const asked = { por: [granularidade], medidas: ["valor_total"], filters, from, to, isCsv: false };
  const answer = await expectedAnswer(db, "faturamento", asked, rights, now);
  return "says" in answer ? answer : bodyOf(answer, undefined);
};

/** The rows of the same professionals as in `people`. */
const ofPeople = (all: Body, people: Body): Body => {
  const ids = (people.data as Body[]).map((row) => row.profissional_salon_id);
  const rows = (all.data as Body[]).filter(
    ({ profissional_salon_id: id }) => id !== null && ids.includes(id),
  );
  const sumOf = (measures: Body[]) => measures.reduce((sum, { servicos }) => sum + Number(servicos), 0);
  const totais = {
    servicos: sumOf(rows),
    ...("anterior" in all && { anterior: { servicos: sumOf(rows.map((row) => row.anterior as Body)) } }),
  };
  return { ...all, data: rows, linhas: rows.length, totais };
};

/** The expected panel, from its expected reports, or the expected refusal. */
export const expectedPanel = async (
  db: pg.Client,
  question: Question,
  reading: Reading,
): Promise<{ body: Body } | Refusal> => {
  const { filters, from, to } = question;
  const { rights, now } = reading;
  const body: Body = { unidades: await expectedUnits(db, rights.units) };
  const bounds = await boundsOf(db, now);
  for (const [name, [report, asks, isNullable]] of Object.entries<Part>(questionsOf(question, bounds))) {
    const asked = { por: [], filters, from, to, isCsv: false, ...asks };
    const compared = await expectedAnswer(db, report, asked, rights, now);
    // What may not be compared is not (R24).
    const answer =
      "says" in compared && name === "clientes"
        ? await expectedAnswer(db, report, { ...asked, comparar: undefined }, rights, now)
        : compared;
    if ("says" in answer && isNullable === undefined) return answer;
    if (name === "lancamentos_pendentes") {
      body.pendentes = await unsent(db, filters, rights);
      body.pendentes_antigos = await unsent(db, filters, rights, bounds.dayOld);
      body.pendentes_60_dias = await unsent(db, filters, rights, bounds.sixtyDaysOld);
    }
    if (name === "metas") {
      const inFull = question.comparar === undefined ? null : await earlierInFull(db, question, reading);
      if (inFull && "says" in inFull) return inFull;
      body.faturamento_anterior = inFull;
    }
    body[name] = "says" in answer ? null : bodyOf(answer, asked.limite ?? 1100);
  }
  body.servicos_por_unidade_e_profissional = ofPeople(
    body.servicos_por_unidade_e_profissional as Body,
    body.servicos_por_profissional as Body,
  );
  return { body: { ...body, frescor: await expectedFreshness(db, rights) } };
};
