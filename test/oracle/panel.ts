import type pg from "pg";
import { expectedReport } from "./answers.ts";
import type { Question } from "./questions.ts";
import { expectedRowReport } from "./row-reports.ts";

/** The expected panel as JSON text, from its expected reports, or undefined if there are too many periods. */
export const expectedPanel = async (db: pg.Client, question: Question): Promise<string | undefined> => {
  const report = async (name: string) => {
    const body = await expectedReport(db, name, question);
    return body === undefined ? undefined : JSON.parse(body);
  };
  const por_periodo = await report("transacoes-por-periodo");
  if (por_periodo === undefined) return undefined;
  const { data } = await report("transacoes-por-profissional");
  return JSON.stringify({
    resumo: await report("resumo"),
    por_periodo,
    por_forma_pagamento: await report("transacoes-por-forma-pagamento"),
    por_profissional: { data: data.slice(0, 10) },
    por_estabelecimento: await report("transacoes-por-estabelecimento"),
    vendas_por_produto: await expectedRowReport(db, "vendas-por-produto", {
      ...question,
      filters: { ...question.filters, limite: "10" },
    }),
  });
};
