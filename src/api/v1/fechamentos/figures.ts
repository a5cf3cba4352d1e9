import { type SQL, sql } from "drizzle-orm";
import type { InstantRange } from "../../../core/periods.ts";
import { jsonArray, jsonObject } from "../../../platform/db/json-sql.ts";
import type { Scope } from "../../../platform/db/scope.ts";
import { type PlaceholdersOf, statement } from "../../../platform/db/statement.ts";
import { selectMeasures } from "../relatorios/groups-sql.ts";
import { type QuestionParameters, questionOf } from "../relatorios/question.ts";
import type { Source } from "../relatorios/source.ts";
import { faturamento } from "../relatorios/sources/faturamento.ts";
import { lancamentos } from "../relatorios/sources/lancamentos.ts";
import { pagamentos } from "../relatorios/sources/pagamentos.ts";

/** The figures of a unit that a closing signs (F2), in order. */
export const UNIT_FIGURES = [
  ...(["faturamento", "visitas", "valor_servicos", "valor_produtos"] as const),
  ...(["lancamentos", "valor_lancamentos"] as const),
];

/** The figures of an account and status of payments. */
export const PAYMENT_FIGURES = ["pagamentos", "valor"] as const;

/** Both ends of the month. */
export type Month = PlaceholdersOf<InstantRange>;

const rowsOf = (source: Source, asks: QuestionParameters, month: Month, scope: Scope) =>
  selectMeasures({
    question: questionOf(source, asks),
    placeholders: { ...month },
    earlier: undefined,
    scope,
  });

const REVENUE = { por: ["unidade"], medidas: ["valor_total", "visitas", "valor_servicos", "valor_produtos"] };
const ENTRIES = { por: ["unidade"], data: "vencimento", medidas: ["lancamentos", "valor_total"] };
const PAYMENTS = { por: ["conta", "situacao"], data: "vencimento", medidas: ["pagamentos", "valor_total"] };

/** The figures of each unit: those of the reports `faturamento`, and `lancamentos` by due date. */
export const unitFigures = (month: Month, scope: Scope): SQL => sql`
  select estabelecimento_id,
    coalesce(revenue.valor_total, 0) as faturamento, coalesce(visitas, 0) as visitas,
    coalesce(valor_servicos, 0) as valor_servicos, coalesce(valor_produtos, 0) as valor_produtos,
    coalesce(lancamentos, 0) as lancamentos, coalesce(entries.valor_total, 0) as valor_lancamentos
  from (${rowsOf(faturamento, REVENUE, month, scope)}) as revenue
    full join (${rowsOf(lancamentos, ENTRIES, month, scope)}) as entries using (estabelecimento_id)`;

/** The payments of each account and status, by due date, as in the report `pagamentos`. */
export const paymentFigures = (month: Month, scope: Scope): SQL => sql`
  select nome_conta_classificacao, situacao, pagamentos, valor_total as valor
  from (${rowsOf(pagamentos, PAYMENTS, month, scope)}) as payments`;

/** The statement of what a closing signs: `figures`, JSON with every digit. */
export const signedFigures = statement<InstantRange>((month, scope) => {
  const units = sql`${unitFigures(month, scope)} order by estabelecimento_id collate "C"`;
  const payments = sql`${paymentFigures(month, scope)} order by nome_conta_classificacao collate "C", situacao`;
  return sql`select ${jsonObject({ unidades: jsonArray(units), pagamentos: jsonArray(payments) })} as figures`;
});
