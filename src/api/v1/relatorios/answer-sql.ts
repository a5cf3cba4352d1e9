import { type SQL, sql } from "drizzle-orm";
import { joinWithCommas, numberLiteral } from "../../../platform/db/conditions.ts";
import { csvTable } from "../../../platform/db/csv-sql.ts";
import { jsonElements, withClause } from "../../../platform/db/json-sql.ts";
import { kindOf } from "../../../platform/db/kinds.ts";
import type { Shape } from "../../../platform/db/read-request.ts";
import type { Scope } from "../../../platform/db/scope.ts";
import { DATA_REACHED } from "../../../platform/db/statement.ts";
import { professionals } from "../professional-map.ts";
import { earlierEnds } from "./comparison.ts";
import { earlierName, groupedRows, name } from "./groups-sql.ts";
import {
  calendarOf,
  dimensionColumns,
  dimensionsOf,
  isSeries,
  keyNames,
  measuresOf,
  type Question,
  VARIATION,
} from "./question.ts";
import { type AskedReport, isPast } from "./readings.ts";
import { filledRows, MAX_PERIODS, MAX_ROWS, matchedRows, measureColumns } from "./rows-sql.ts";

const labelsOf = (question: Question, scope: Scope): Record<string, SQL> => {
  const keys = keyNames(question);
  return Object.fromEntries(
    dimensionsOf(question).flatMap(({ labels = {} }) =>
      Object.entries(labels).map(([label, value]) => [label, value.sql(keys, scope)]),
    ),
  );
};

/** The first measure's difference to the earlier range. */
const variation = ({ measures }: Question): SQL => {
  const first = measures[0] as string;
  return sql`(${name(first)} - ${name(earlierName(first))})`;
};

/** The order of the rows: ties by the dimensions, null last (R21). */
const orderBy = ({ question, scope }: AskedReport): SQL => {
  const keys = keyNames(question);
  const labels = labelsOf(question, scope);
  const ordered = dimensionsOf(question).find(({ calendar, isCycle, order }) => calendar || isCycle || order);
  const chosen =
    question.order ??
    (ordered
      ? { column: Object.keys(ordered.keys)[0] as string, isDescending: false }
      : { column: question.measures[0] as string, isDescending: true });
  const orders = Object.fromEntries(
    dimensionsOf(question).flatMap(({ keys: own, order }) =>
      order ? Object.keys(own).map((key) => [key, order(name(key))]) : [],
    ),
  );
  const sortKey = (column: string) => orders[column] ?? name(column);
  const value =
    chosen.column === VARIATION ? variation(question) : (labels[chosen.column] ?? sortKey(chosen.column));
  const direction = chosen.isDescending ? sql`desc` : sql`asc`;
  return joinWithCommas([
    sql`${value} ${direction} nulls last`, // mistake: null-is-first
    ...keys.map((key) => sql`${sortKey(key)} nulls last`),
  ]);
};

/** The measures of the earlier range as an object, with their own names. */
const earlierObject = ({ measures }: Question): SQL => {
  const columns = measures.map((measure) => sql`${name(earlierName(measure))} as ${name(measure)}`);
  return sql`(select earlier from (select ${joinWithCommas(columns)}) as earlier)`;
};

/** The measures of everything that matched, as an object. */
const totalsObject = (columns: SQL[]): SQL => sql`(
  select row_to_json(totals)::text
  from (select ${joinWithCommas(columns)} from grouped where is_total) as totals
)`;

/** The member `anterior` of the answer. */
const earlierMember = ({ earlier }: AskedReport): SQL =>
  earlier ? sql`|| ${earlierEnds(earlier)} || '}'` : sql``;

/** The member `explicacao` of the answer (R28). */
const explanationMember = ({ placeholders: { explicacao } }: AskedReport): SQL => {
  const reached = sql`coalesce(to_json(${DATA_REACHED})::text, 'null')`;
  return explicacao
    ? sql` || ',"explicacao":' || ${explicacao} || ',"dados_ate":' || ${reached} || '}'`
    : sql``;
};

/** How each column of a row is written in CSV. */
const kindsOfRow = (question: Question) => {
  const columns = Object.entries(dimensionColumns(dimensionsOf(question)));
  const measures = measuresOf(question).map(({ name: measure, field }) => [measure, kindOf(field)] as const);
  return Object.fromEntries([
    ...columns.map(([column, field]) => [column, kindOf(field)] as const),
    ...measures,
    ...(question.isCompared ? measures.map(([measure, kind]) => [earlierName(measure), kind] as const) : []),
  ]);
};

const bodyOf = (asked: AskedReport, { format }: Shape): SQL => {
  const { question, scope } = asked;
  const labels = labelsOf(question, scope);
  const columns = dimensionsOf(question).flatMap(({ keys, labels: own = {} }) => [
    ...Object.keys(keys).flatMap((key) => (key in own ? [] : [name(key)])),
    ...Object.keys(own).map((label) => sql`${labels[label]} as ${name(label)}`),
  ]);
  const rows = (measures: SQL[]) =>
    sql`select ${joinWithCommas([...columns, ...measures])} from shown as answer`;
  if (format !== undefined)
    return csvTable(kindsOfRow(question), rows(measureColumns(question).map(name)), format);
  const measures = [
    ...question.measures.map(name),
    ...(question.isCompared ? [sql`${earlierObject(question)} as anterior`] : []),
  ];
  const rowCount = sql`all_rows`; // mistake: counts-shown-rows
  return sql`'{"data":[' || ${jsonElements(rows(measures))} || '],"linhas":' || ${rowCount}
    || ',"totais":' || ${totalsObject(measures)} ${earlierMember(asked)}${explanationMember(asked)} || '}'`;
};

/** How many rows matched, and how many the answer would have. */
const sizeOf = (filled: ReturnType<typeof filledRows>): SQL => {
  const allRows = filled.rows ? sql`(select count(*) from filled)` : sql`count(*)`;
  return sql`
    select count(*) as matched_rows, ${allRows} as all_rows
    from matched`;
};

/** The rows of the answer, in its order. */
const shownRows = (asked: AskedReport, filled: ReturnType<typeof filledRows>): SQL => {
  const { limite } = asked.placeholders;
  return sql`
    select *
    from ${name(filled.name)} as answer
    order by ${orderBy(asked)} ${limite ? sql`limit ${limite}` : sql``}`;
};

const isSmallEnough = (question: Question): SQL => {
  const periods = isSeries(question) ? sql` and all_rows <= ${numberLiteral(MAX_PERIODS)}` : sql``;
  return sql`matched_rows <= ${numberLiteral(MAX_ROWS)}${periods}`;
};

/** The first or the last period that matched. Only the 400 needs it. */
const outermostPeriod = (question: Question, which: "min" | "max"): SQL => {
  if (!calendarOf(question)) return sql`null::text`;
  const period = sql`select ${sql.raw(which)}(${name(keyNames(question)[0] as string)}) from matched`;
  return sql`case when not (${isSmallEnough(question)}) then (${period}) end::text`;
};

/**
 * Selects the answer of a general report as `body` (R22). It is null for too many rows or periods; `first` and
 * `last` are then the first and the last period that matched, if the question has a calendar dimension. It is null,
 * too, without reading a row, if `refusal` is `unfinished`: the data has not passed months that must be over (R24, B1).
 */
export const selectAnswer = (asked: AskedReport, shape: Shape): SQL => {
  const { question } = asked;
  const needsProfessionals = dimensionsOf(question).some((one) => one.readsProfessionals);
  const filled = filledRows(asked);
  const steps = withClause(
    needsProfessionals ? professionals : undefined,
    ...groupedRows(asked),
    sql`matched as not materialized (${matchedRows(asked)})`,
    filled.rows && sql`filled as materialized (${filled.rows})`,
    sql`size as materialized (${sizeOf(filled)})`,
    sql`shown as materialized (${shownRows(asked, filled)})`,
  );
  const past = isPast(asked);
  const isAnswered = past ? sql`${past} and ${isSmallEnough(question)}` : isSmallEnough(question);
  return sql`
    ${steps}
    select case when ${isAnswered} then ${bodyOf(asked, shape)} end as body,
      ${outermostPeriod(question, "min")} as first,
      ${outermostPeriod(question, "max")} as last,
      ${past ? sql`case when not (${past}) then 'unfinished' end` : sql`null::text`} as refusal,
      (select records from grouped where is_total)::text as matched_facts
    from size`;
};
