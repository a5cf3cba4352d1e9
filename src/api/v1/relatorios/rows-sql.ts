import { type SQL, sql } from "drizzle-orm";
import { joinWithCommas, numberLiteral, whereClause } from "../../../platform/db/conditions.ts";
import { periodOf } from "../../../platform/db/range-sums.ts";
import { earlierName, emptyOf, MONTHS_OF, monthNumber, name, names, orEmpty } from "./groups-sql.ts";
import { calendarOf, isFullCycle, isSeries, keyNames, type Question } from "./question.ts";
import type { AskedReport } from "./readings.ts";
import type { CalendarGrain } from "./source.ts";

/** More points are unreadable in a chart (R22). */
export const MAX_PERIODS = 1100;
export const MAX_ROWS = 100_000;

/** The measures as columns of a row, with those of the earlier range. */
export const measureColumns = ({ measures, isCompared }: Question): string[] => [
  ...measures,
  ...(isCompared ? measures.map(earlierName) : []),
];

/** Every measure of a row that may be missing. */
const filledMeasures = (asked: AskedReport): SQL => {
  const empty = emptyOf(asked);
  return joinWithCommas(
    measureColumns(asked.question).map(
      (column) => sql`${orEmpty(name(column), empty[column.replace(/^anterior_/, "")])} as ${name(column)}`,
    ),
  );
};

/**
 * Every period of the range (R22). An end that was not sent is that of the rows that matched.
 * Makes at most 1,101 rows: one too many shows that the answer is too long.
 */
const series = (asked: AskedReport, calendar: CalendarGrain): SQL => {
  const key = name(keyNames(asked.question)[0] as string);
  const { data_inicio, data_fim } = asked.placeholders;
  // mistake: begins-with-first-row
  const first = data_inicio ? periodOf(calendar, data_inicio) : sql`(select min(${key}) from matched)`;
  const last = data_fim ? periodOf(calendar, data_fim) : sql`(select max(${key}) from matched)`;
  const months = MONTHS_OF[calendar];
  const step = sql.raw(months ? `interval '${months} months'` : `interval '1 ${calendar}'`);
  const distance = months
    ? sql`(${monthNumber(sql`last`)} - ${monthNumber(sql`first`)}) / ${numberLiteral(months)}`
    : sql`(last - first) / ${numberLiteral(calendar === "week" ? 7 : 1)}`;
  // A series of timestamps would step past the last one that Postgres can store.
  return sql`
    select period as ${key}, ${filledMeasures(asked)}
    from (
      select (first + n * ${step})::date as period
      from (select ${first} as first, ${last} as last offset 0) as ends,
        generate_series(0, ${numberLiteral(MAX_PERIODS)}) as n
      where n <= ${distance}
    ) as periods
      left join matched on ${key} = period`;
};

/**
 * Each weekday that the filter leaves and each hour from the first to the last that matched, for each unit
 * that matched (R22).
 */
const fullCycle = (asked: AskedReport): SQL => {
  const { question, placeholders } = asked;
  const keys = keyNames(question);
  const values: Record<string, SQL> = {
    estabelecimento_id: sql`(select distinct estabelecimento_id from matched)`,
    dia_semana: sql`(
      select n::smallint as dia_semana
      from generate_series(1, 7) as n
      ${whereClause(placeholders.dia_semana && sql`n = ${placeholders.dia_semana}`)}
    )`,
    // mistake: every-hour
    hora: sql`(select generate_series(min(hora)::integer, max(hora)::integer)::smallint as hora from matched)`,
  };
  const all = keys.map((key) => sql`${values[key]} as ${name(`all_${key}`)}`);
  return sql`
    select ${names(keys)}, ${filledMeasures(asked)}
    from ${sql.join(all, sql` cross join `)}
      left join matched using (${names(keys)})`;
};

/** The rows of `grouped` without the total. */
export const matchedRows = ({ question }: AskedReport): SQL =>
  sql`select * from grouped${whereClause(keyNames(question).length > 0 ? sql`not is_total` : undefined)}`;

/** The rows with those that fill gaps. Without gaps to fill, they are those that matched. */
export const filledRows = (asked: AskedReport): { name: "filled" | "matched"; rows?: SQL } => {
  const calendar = calendarOf(asked.question);
  if (calendar && isSeries(asked.question)) return { name: "filled", rows: series(asked, calendar) };
  if (isFullCycle(asked.question)) return { name: "filled", rows: fullCycle(asked) };
  return { name: "matched" };
};
