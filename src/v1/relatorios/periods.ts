import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../core/database.ts";
import type { Rights } from "../../core/rights.ts";
import { matchFilters, numberLiteral, whereClause } from "../../db/conditions.ts";
import { tableBody } from "../../db/csv-sql.ts";
import { kindsOf } from "../../db/kinds.ts";
import { jsonReport } from "../../db/reports.ts";
import { type Period, partialSums, periodOf } from "../../db/rollup.ts";
import type { Scope, Units } from "../../db/scope.ts";
import type { Shape } from "../../db/shape.ts";
import type { Given } from "../../db/statement.ts";
import { transacoesRollup } from "../transacoes/table.ts";
import { PERIODS, recordCount, sendStatus, TOTALS, totalInReais } from "./measures.ts";
import {
  type PeriodFilters,
  type ReportFilters,
  TransacaoPorPeriodo,
  type TransacoesPorPeriodo,
} from "./schemas.ts";

/** More points are unreadable in a chart, and a century by day would be several megabytes. */
const MAX_PERIODS = 1100;

/** Scalar subquery: the first or last period with visits. For a day, it narrows to the month first. */
const firstOrLastPeriod = (period: Period, units: Units, order: SQL) => {
  const firstPeriod = (grain: Period, ...conditions: SQL[]) =>
    sql`select starts_on from ${transacoesRollup}${whereClause(
      sql`grain = ${sql.raw(`'${grain}'`)}`,
      matchFilters({ estabelecimento_id: units }),
      ...conditions,
    )} group by starts_on having sum(records) > 0 order by starts_on ${order} limit 1`;
  const month = firstPeriod("month", sql`starts_on > '-infinity'`, sql`starts_on < 'infinity'`);
  if (period === "month") return sql`(${month})`;
  // The 31 days may reach into the next month, but none of its days is chosen: ascending, a day of this month
  // comes first; descending, this is the last month with visits.
  const inMonth = [sql`starts_on >= month.first`, sql`starts_on < month.first + 31`];
  return sql`(select day.starts_on from (${month}) as month(first), lateral (${firstPeriod("day", ...inMonth)}) as day)`;
};

/**
 * A CTE of one row: the first period, the last one, and their number. An omitted end is the first or last
 * period with visits (R4).
 */
const ends = (period: Period, { data_inicio, data_fim }: Given<ReportFilters>, { units }: Scope) => {
  const first = data_inicio ? periodOf(period, data_inicio) : firstOrLastPeriod(period, units, sql`asc`);
  const last = data_fim ? periodOf(period, data_fim) : firstOrLastPeriod(period, units, sql`desc`);
  const months = (day: SQL) => sql`extract(year from ${day}) * 12 + extract(month from ${day})`;
  const distance = period === "day" ? sql`last - first` : sql`${months(sql`last`)} - (${months(sql`first`)})`;
  return sql`ends as materialized (
    select first, last, ${distance} + 1 as periods from (
      select ${first} as first, ${last} as last offset 0) as bounds)`;
};

/**
 * Visits per period, with zeros for periods without visits. Requires the CTE `ends`. If an end is omitted, a
 * range of a single period has no row unless a visit matches (R4).
 */
const visitsByPeriod = (period: Period, range: Given<ReportFilters>, { units }: Scope) => {
  const visits = partialSums(
    { rollup: transacoesRollup, filters: { estabelecimento_id: units }, range },
    ["sent_to_erp"],
    TOTALS,
    period,
  );
  const hasBothEnds = range.data_inicio && range.data_fim;
  return sql`
    select inicio, ${recordCount} as total_transacoes, ${totalInReais} as valor_total,
      ${sendStatus.enviadas_erp} as enviadas_erp, ${sendStatus.pendentes_erp} as pendentes_erp
    from (
      select (first + n * interval ${sql.raw(`'1 ${period}'`)})::date as inicio
      from ends, generate_series(0, periods::integer - 1) as n
    ) as periods left join (${visits}) as visits on starts_on = inicio
    group by inicio${hasBothEnds ? sql`` : sql` having sum(records) > 0 or (select first < last from ends)`}
    order by inicio`;
};

const TOO_MANY_PERIODS =
  "The report would have more than 1,100 periods. Set `granularidade` to `mes`, or send a shorter range in `data_inicio` and `data_fim`.";

/**
 * Builds a report over time, with one statement per granularity, because each granularity reads different
 * rollup rows. The report throws Refusal 400 for too many periods, before it reads any visits.
 * @param build returns the body. `periods` selects the visits per period
 */
export const reportOverTime = <T>(
  build: (periods: SQL, given: Given<ReportFilters>, scope: Scope, shape: Shape) => SQL,
) => {
  const reportBy = (period: Period) =>
    jsonReport<ReportFilters, T>(
      (given, scope, shape) =>
        sql`with ${ends(period, given, scope)} select case when ((select periods from ends) > ${numberLiteral(MAX_PERIODS)}) is not true then ${build(visitsByPeriod(period, given, scope), given, scope, shape)} end as body`,
      { refusal: TOO_MANY_PERIODS },
    );
  const reports = { dia: reportBy(PERIODS.dia), mes: reportBy(PERIODS.mes) };
  return (db: Db, rights: Rights, { granularidade, ...filters }: PeriodFilters) =>
    reports[granularidade](db, rights, filters);
};

const COLUMNS = kindsOf(TransacaoPorPeriodo);

/** Visits by day or month in Brasília (R4). */
export const transacoesPorPeriodo = reportOverTime<TransacoesPorPeriodo>((periods, _given, _scope, shape) =>
  tableBody(COLUMNS, periods, shape),
);
