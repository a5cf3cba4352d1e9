import { sql } from "drizzle-orm";
import type { z } from "zod";
import type { Db, JsonText } from "../../core/database.ts";
import { numberLiteral } from "../../db/conditions.ts";
import { withEarlierRange, withoutEarlierEnd } from "../../db/json-queries.ts";
import { assertRow, dataObject, jsonArray, jsonObject, withEtag } from "../../db/json-sql.ts";
import { selectAllRecords } from "../../db/records.ts";
import type { ReadRequest } from "../../db/shape.ts";
import { type Earlier, statement } from "../../db/statement.ts";
import { estabelecimento, ORDER } from "../estabelecimentos/queries.ts";
import { selectAnswer } from "./answer-sql.ts";
import { tooLong } from "./general-refusals.ts";
import type { AnswerRow } from "./general-report.ts";
import { isScan, planOf } from "./planner.ts";
import { selectSummary, visitsByPaymentMethod, visitsByProfessional } from "./queries.ts";
import { type Question, questionOf } from "./question.ts";
import type { Painel, PainelFilters } from "./schemas.ts";
import type { Source } from "./source.ts";
import { vendas } from "./sources/vendas.ts";
import { visitas } from "./sources/visitas.ts";

/** Maximum rows of the two longest parts. */
const ROW_LIMIT = numberLiteral(10);

/** A part of the panel, with the default measures. It must cost the same over any range. */
const partBy = (source: Source, dimension: string, isCompared: boolean, ordem?: string[]): Question => {
  const question = questionOf(source, { por: [dimension], ordem }, [], isCompared);
  if (isScan(planOf(question, true))) throw new Error(`no rollup holds ${source.name} by ${dimension}`);
  return question;
};

/** Reads all parts in one statement, so that they are of the same snapshot (R7). */
const panelBy = (granularidade: string, isCompared: boolean) => {
  const [periods, units, products] = [
    partBy(visitas, granularidade, isCompared),
    partBy(visitas, "unidade", isCompared),
    partBy(vendas, "produto", isCompared, ["-valor_total"]),
  ];
  const toStatement = statement<Record<string, unknown>>((given, scope, _, earlier) => {
    const answer = (question: Question, limits: object = {}) =>
      selectAnswer({ question, given: { ...given, ...limits }, earlier, scope }, {});
    const part = (question: Question, limits?: object) =>
      sql`(select body from (${answer(question, limits)}) as part)`;
    const summaryOver = (range?: Earlier) => selectSummary({ ...given, ...range }, scope);
    const body = jsonObject({
      resumo: sql`(select body from (${withEarlierRange(summaryOver, earlier)}) as part)`,
      por_periodo: sql`(select body from periods)`,
      por_forma_pagamento: dataObject(visitsByPaymentMethod(given, scope)),
      por_profissional: dataObject(sql`${visitsByProfessional(given, scope)} limit ${ROW_LIMIT}`),
      por_estabelecimento: part(units),
      vendas_por_produto: part(products, { limite: ROW_LIMIT }),
      unidades: jsonArray(selectAllRecords(estabelecimento, { where: undefined, order: ORDER }, scope, {})),
    });
    const select = sql`
      with periods as materialized (${answer(periods)})
      select ${body} as body, first, last
      from periods`;
    return withEtag(select, withoutEarlierEnd(earlier));
  });
  return { periods, toStatement };
};

const COARSER = { dia: ["`mes` as `granularidade`"], mes: [] };

const panels = {
  dia: [panelBy("dia", false), panelBy("dia", true)],
  mes: [panelBy("mes", false), panelBy("mes", true)],
} as const;

export const painel = async (
  db: Db,
  request: ReadRequest,
  { granularidade, ...filters }: z.output<typeof PainelFilters>,
): Promise<JsonText<Painel>> => {
  const { periods, toStatement } = panels[granularidade][request.earlier ? 1 : 0];
  const row = assertRow(await db<AnswerRow>(toStatement(request, filters)));
  if (row.body === null) throw tooLong(periods, filters, row, COARSER[granularidade]);
  return row;
};
