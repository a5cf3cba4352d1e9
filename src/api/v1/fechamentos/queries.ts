import { type SQL, sql } from "drizzle-orm";
import type { Db, JsonText } from "../../../core/database.ts";
import type { Rights } from "../../../core/rights.ts";
import { joinWithCommas, whereClause, wordLiteral } from "../../../platform/db/conditions.ts";
import { type FinishedBody, finishBody, jsonArray, jsonObject } from "../../../platform/db/json-sql.ts";
import { byOffset } from "../../../platform/db/lists.ts";
import { listOf } from "../../../platform/db/pagination.ts";
import type { ReadRequest } from "../../../platform/db/read-request.ts";
import { ANY_UNIT, type Scope } from "../../../platform/db/scope.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import { statement } from "../../../platform/db/statement.ts";
import { estabelecimentos as e } from "../estabelecimentos/table.ts";
import { changesSince, FEEDS } from "./changes.ts";
import { type Month, PAYMENT_FIGURES, paymentFigures, UNIT_FIGURES, unitFigures } from "./figures.ts";
import {
  Fechamento,
  type FechamentoDoMes,
  type FechamentoPage,
  type ListFechamentos,
  type MonthQuery,
  notClosed,
} from "./schemas.ts";
import { fechamentos as t } from "./table.ts";

/** What only a reader with all rights gets (F2). */
const FOR_ALL_RIGHTS = ["usuario", "nota", "hash", "hash_anterior"];
const isRestricted = ({ rightsTag }: Scope): boolean => rightsTag !== undefined;

const fechamento = {
  ...selectionOf(t, Fechamento, {}, { unit: ANY_UNIT, isMasked: isRestricted }),
  masks: Object.fromEntries(FOR_ALL_RIGHTS.map((name) => [name, sql`null`])),
};

/** Closings and reopenings, newest first (F2). */
export const listFechamentos = listOf<typeof ListFechamentos, typeof FechamentoPage>(fechamento, () =>
  byOffset(t, { estabelecimento_id: ANY_UNIT }, undefined, [sql`${t.id} desc`]),
);

const name = (text: string) => sql.identifier(text);
const names = (texts: readonly string[]) => joinWithCommas(texts.map(name));
const json = (value: SQL) => sql`coalesce(to_json(${value})::text, 'null')`;

interface Compared {
  /** The columns that name a row, with their types. */
  keys: Record<string, string>;
  figures: readonly string[];
  /** The name of the signed rows in `valores`. */
  part: string;
  present: SQL;
  /** Which of the signed rows the reader may read. */
  where?: SQL | undefined;
}

/** The figures of each side, as `is_signed`. */
const bothSides = ({ keys, figures, part, present, where }: Compared) => {
  const columns = names([...Object.keys(keys), ...figures]);
  const types = [...Object.entries(keys), ...figures.map((figure) => [figure, "numeric"] as const)];
  const record = joinWithCommas(types.map(([column, type]) => sql`${name(column)} ${sql.raw(type)}`));
  return sql`
    select true as is_signed, ${columns}
    from signed, json_to_recordset(valores::json -> ${wordLiteral(part)}) as signed_rows(${record})
    ${whereClause(where)}
    union all
    select false, ${columns}
    from (${present}) as present_rows`;
};

/** A JSON object of the figures, each as `sqlOf` computes it. */
const objectOf = (figures: readonly string[], sqlOf: (figure: string) => SQL) => {
  const columns = figures.map((figure) => sql`${sqlOf(figure)} as ${name(figure)}`);
  return sql`(select row_to_json(figures) from (select ${joinWithCommas(columns)}) as figures)`;
};

/** Rows of the keys, each with its figures as signed, as they are, and their difference. @param sides of `bothSides` */
const comparedRows = (figures: readonly string[], keys: string[], sides: SQL) => {
  const signed = (figure: string) => name(`signed_${figure}`);
  const present = (figure: string) => name(`present_${figure}`);
  const sums = figures.flatMap((figure) => [
    sql`coalesce(sum(${name(figure)}) filter (where is_signed), 0) as ${signed(figure)}`,
    sql`coalesce(sum(${name(figure)}) filter (where not is_signed), 0) as ${present(figure)}`,
  ]);
  const groups = keys.length > 0 ? sql` group by ${names(keys)}` : sql``; // mistake: misses-emptied-units
  const grouped = sql`
    select ${joinWithCommas([...keys.map(name), ...sums])}
    from ${sides} as sides${groups}`;
  const objects = {
    assinado: objectOf(figures, (figure) => sql`${signed(figure)}`),
    atual: objectOf(figures, (figure) => sql`${present(figure)}`),
    // mistake: signed-less-present
    diferenca: objectOf(figures, (figure) => sql`${present(figure)} - ${signed(figure)}`),
  };
  const columns = Object.entries(objects).map(([column, value]) => sql`${value} as ${name(column)}`);
  return sql`
    select ${joinWithCommas([...keys.map(name), ...columns])}
    from (${grouped}) as grouped`;
};

const unitName = sql`(
  select ${e.nome} from ${e} where ${e.salon_id} = unit_rows.estabelecimento_id
)`;

const comparedUnits = (month: Month, scope: Scope): Compared => ({
  keys: { estabelecimento_id: "text" },
  figures: UNIT_FIGURES,
  part: "unidades",
  present: unitFigures(month, scope),
  // mistake: closing-of-other-units
  where: scope.ownUnits.value && sql`estabelecimento_id = ${scope.ownUnits.value}`,
});

const comparedPayments = (month: Month, scope: Scope): Compared => ({
  keys: { nome_conta_classificacao: "text", situacao: "smallint" },
  figures: PAYMENT_FIGURES,
  part: "pagamentos",
  present: paymentFigures(month, scope),
});

const FIELDS = ["mes", "versao", "registrado_em", "versao_servico", ...FOR_ALL_RIGHTS] as const;

/** The newest closing of a month, in one snapshot with its present figures. No row if it was never closed. */
const selectClosing = (
  month: Month,
  mes: SQL,
  scope: Scope,
  { payments: readsPayments }: Pick<Rights, "payments">,
): SQL => {
  const units = comparedUnits(month, scope);
  const sides = name("unit_sides").getSQL();
  const unitRows = sql`
    select estabelecimento_id, ${unitName} as unidade_nome, assinado, atual, diferenca
    from (${comparedRows(units.figures, Object.keys(units.keys), sides)}) as unit_rows
    order by estabelecimento_id collate "C"`;
  const payments = comparedPayments(month, scope);
  const paymentRows = sql`
    ${comparedRows(payments.figures, Object.keys(payments.keys), sql`(${bothSides(payments)})`)}
    order by nome_conta_classificacao collate "C", situacao`;
  const feeds = Object.keys(FEEDS).filter((feed) => readsPayments || feed !== "pagamentos-erp");
  const isHidden = (field: string) => isRestricted(scope) && FOR_ALL_RIGHTS.includes(field);
  const fields = FIELDS.map((field) => [field, isHidden(field) ? sql`'null'` : json(name(field).getSQL())]);
  const body = jsonObject({
    ...(Object.fromEntries(fields) as Record<string, SQL>),
    reaberto: json(sql`exists (select from ${t} where ${t.mes} = signed.mes and ${t.id} > signed.id)`),
    totais: sql`(select row_to_json(sums)::text from (${comparedRows(units.figures, [], sides)}) as sums)`,
    unidades: jsonArray(unitRows),
    pagamentos: readsPayments ? jsonArray(paymentRows) : sql`'null'`,
    alteracoes: jsonArray(changesSince(feeds, sql`(select marcadores::json from signed)`, month, scope)),
  });
  return sql`
    with signed as materialized (
      select *
      from ${t}
      where ${t.mes} = ${mes} and ${t.tipo} = 'fechamento'
      order by ${t.versao} desc
      limit 1
    ),
    unit_sides as materialized (${bothSides(units)})
    select ${body} as body
    from signed`;
};

/** The statement for readers with or without the right to payments. */
const statementFor = (rights: Pick<Rights, "payments">) =>
  statement<MonthQuery>(({ mes, ...month }, scope) => finishBody(selectClosing(month, mes, scope, rights)));
const withPayments = statementFor({ payments: true });
const withoutPayments = statementFor({ payments: false });

/** The newest closing of a month beside its present figures (F2). @throws Refusal 404 if it was never closed */
export const findFechamento = async (
  db: Db,
  request: ReadRequest,
  { mes: month }: { mes: MonthQuery },
): Promise<JsonText<FechamentoDoMes>> => {
  const toStatement = request.rights.payments ? withPayments : withoutPayments;
  const closing = await db<FinishedBody>(toStatement(request, month));
  if (closing === undefined) throw notClosed(month.mes);
  return closing;
};
