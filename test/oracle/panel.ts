import type pg from "pg";
import { expectedReport, expectedUnits } from "./answers.ts";
import { earlierQuestion } from "./comparison.ts";
import { bodyOf, EVERYTHING, expectedAnswer } from "./general/compare-general.ts";
import type { Refusal } from "./general/expected-refusal.ts";
import type { Question } from "./questions.ts";

type Body = Record<string, unknown>;

/** The expected summary, or the expected refusal. @param now epoch milliseconds */
export const expectedSummary = async (
  db: pg.Client,
  question: Question,
  now: number,
): Promise<{ body: Body } | Refusal> => {
  const body = await expectedReport(db, "resumo", question);
  if (question.comparar === undefined) return { body };
  const earlier = await earlierQuestion(db, question, now);
  if (earlier === undefined) return { status: 400, says: ["`comparar`"] };
  const { inicio, fim } = earlier;
  return {
    body: { ...body, anterior: { inicio, fim, ...(await expectedReport(db, "resumo", earlier.question)) } },
  };
};

/** The expected panel, from its expected reports, or the expected refusal. */
export const expectedPanel = async (
  db: pg.Client,
  question: Question,
  now: number,
): Promise<{ body: Body } | Refusal> => {
  const { filters, from, to, comparar, granularidade = "mes" } = question;
  const general = (name: string, por: string, ordem?: string) =>
    expectedAnswer(
      db,
      name,
      { por: [por], ordem, filters, from, to, comparar, isCsv: false },
      EVERYTHING,
      now,
    );
  const resumo = await expectedSummary(db, question, now);
  if ("says" in resumo) return resumo;
  const periods = await general("visitas", granularidade);
  const units = await general("visitas", "unidade");
  const products = await general("vendas", "produto", "-valor_total");
  for (const part of [periods, units, products]) if ("says" in part) return part;
  const { data } = await expectedReport(db, "transacoes-por-profissional", question);
  const partOf = (part: typeof periods, limit?: number) => ("says" in part ? part : bodyOf(part, limit));
  return {
    body: {
      resumo: resumo.body,
      por_periodo: partOf(periods),
      por_forma_pagamento: await expectedReport(db, "transacoes-por-forma-pagamento", question),
      por_profissional: { data: (data as unknown[]).slice(0, 10) },
      por_estabelecimento: partOf(units),
      vendas_por_produto: partOf(products, 10),
      unidades: await expectedUnits(db),
    },
  };
};
