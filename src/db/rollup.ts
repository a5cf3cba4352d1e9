import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { equal, type Filters, joined, number, whereOf } from "./conditions.ts";

/** Both ends inclusive, either alone allowed (I3). */
export interface Range {
  data_inicio?: SQL | undefined;
  data_fim?: SQL | undefined;
}

/** Rows of a table that has a rollup. */
export interface Summed {
  rollup: PgTable;
  filters: Filters;
  range: Range;
  /** The range is over a date and not an instant: it has no cut days. */
  dates?: boolean;
}

const BRASILIA = sql.raw("'America/Sao_Paulo'");
const MICROSECOND = sql.raw("interval '1 microsecond'");

/** One row per row of the table: `id`, `at`, `day`, keys and measures (migrations). */
export const sourceOf = (rollup: PgTable) => sql.identifier(`${getTableConfig(rollup).name}_source`);

/**
 * The first instant after a range's end. It is added to the time in UTC, as only that is computed while the statement is
 * planned: what is added to an instant depends on the session's zone, and would be computed again for every row.
 */
export const after = (end: SQL) =>
  sql`((${end}::timestamptz at time zone 'UTC' + ${MICROSECOND}) at time zone 'UTC')`;

/** The first instant of a day in Brasília (migrations). */
const midnight = (day: SQL) => sql`brasilia_midnight(${day})`;

/** The last instant of a day in Brasília. Nothing follows the last day that Postgres has instants of. */
export const lastInstant = (day: SQL) =>
  sql`case ${day} when '294276-12-31' then timestamptz '294276-12-31 23:59:59.999999Z' else ${midnight(sql`${day} + 1`)} - ${MICROSECOND} end`;

/** The calendar date an instant falls on in Brasília (L2). */
const dateIn = (instant: SQL) => sql`(${instant}::timestamptz at time zone ${BRASILIA})::date`;

/** What a rollup's source calls that which ranges are over. */
const AT = sql`at`;

/** What that must be for a range to have begun. @param at what it is called elsewhere, as in the table itself */
export const afterStart = ({ range: { data_inicio, data_fim }, dates }: Summed, at = AT): SQL[] => [
  ...(data_inicio ? [sql`${at} >= ${dates ? dateIn(data_inicio) : data_inicio}`] : []),
  // Rows without a date fall out of a range (L2); one dated -infinity counts as such a row.
  ...(data_inicio || data_fim ? [sql`${at} > '-infinity'`] : []),
];

/** What it must be to lie in a range. */
export const within = (summed: Summed, at = AT): SQL[] => {
  const { range, dates } = summed;
  return [
    ...afterStart(summed, at),
    ...(range.data_fim ? [sql`${at} <= ${dates ? dateIn(range.data_fim) : range.data_fim}`] : []),
  ];
};

/**
 * An end of a range: where it is cut, the midnight nearest to that, and the first of a month nearest to that. All of it
 * is computed from the parameter while the statement is planned, so that the planner knows how little is read.
 */
const edge = (instant: SQL, end: "start" | "end", dates = false) => {
  // What belongs to the range begins at its start and ends before the instant after its end.
  const cut = end === "start" || dates ? sql`${instant}::timestamptz` : after(instant);
  const nearest = sql`((${cut} at time zone ${BRASILIA}) + interval '12 hours')::date`;
  const day = dates ? sql`(${dateIn(instant)} + ${number(end === "start" ? 0 : 1)})` : nearest;
  return {
    end,
    cut,
    day,
    midnight: midnight(day),
    month: monthOf(sql`${day} + 15`),
  };
};

/** How finely sums over time are told apart. */
export type Period = "day" | "month";

/** The first day of the month a date is in. */
export const monthOf = (day: SQL) => sql`date_trunc('month', (${day})::timestamp)::date`;

/** The first day of the period an instant falls in, in Brasília. */
export const periodOf = (period: Period, instant: SQL) =>
  period === "day" ? dateIn(instant) : monthOf(dateIn(instant));

/**
 * The rows whose sum is the sum over a range: those of all time where there is none, else whole months, and for each end
 * the days, then the single rows by which it differs from the nearest month, negative where the month or day reaches
 * beyond the range. An end reads half a month of days and half a day of rows at most (R1–R5, L3).
 * @param keys the rollup's columns wanted with them
 * @param measures `records`, or a column that is summed
 * @param period wanted with them as `starts_on`, so that they add up to the sum of each period; records without a date, or
 *   dated ±infinity, are in none (R4)
 */
export const partialSums = (
  summed: Summed,
  keys: string[],
  measures: string[] = ["records"],
  period?: Period,
) => {
  const { rollup, filters, range, dates } = summed;
  const start = range.data_inicio && edge(range.data_inicio, "start", dates);
  const end = range.data_fim && edge(range.data_fim, "end", dates);
  const matches = equal(filters);
  const columns = (signed: (value: SQL) => SQL, record: SQL, day: SQL) =>
    joined([
      ...(period ? [sql`${period === "day" ? day : monthOf(day)} as starts_on`] : []),
      ...keys.map((key) => sql.identifier(key)),
      ...measures.map((m) => {
        const name = sql.identifier(m);
        return sql`${signed(m === "records" ? record : sql`${name}`)} as ${name}`;
      }),
    ]);
  const summedIn = (grain: "day" | "month" | "all", signed: (value: SQL) => SQL, ...conditions: SQL[]) =>
    sql`select ${columns(signed, sql`records`, sql`starts_on`)} from ${rollup}${whereOf(sql`grain = ${sql.raw(`'${grain}'`)}`, matches, ...conditions)}`;
  const asItIs = (value: SQL) => value;
  if (!start && !end && !period) return summedIn("all", asItIs);

  const rest = [start, end].flatMap((edge) => {
    if (!edge) return [];
    const { cut, midnight, day, month } = edge;
    // Which of the two it is, is known while the statement is planned: nothing is multiplied for each row.
    const signed = (inner: SQL, outer: SQL) => (value: SQL) =>
      sql`case when ${edge.end === "start" ? sql`${outer} <= ${inner}` : sql`${inner} <= ${outer}`} then ${value} else -${value} end`;
    return [
      ...(period === "day"
        ? []
        : [
            summedIn(
              "day",
              signed(month, day),
              sql`starts_on >= least(${month}, ${day}) and starts_on < greatest(${month}, ${day})`,
            ),
          ]),
      ...(dates
        ? []
        : [
            sql`select ${columns(signed(midnight, cut), sql`1`, sql`day`)} from ${sourceOf(rollup)}${whereOf(
              matches,
              sql`at >= least(${midnight}, ${cut}) and at < greatest(${midnight}, ${cut})`,
            )}`,
          ]),
    ];
  });
  const grain = period ?? "month";
  const whole = summedIn(
    grain,
    asItIs,
    sql`starts_on > '-infinity'`,
    ...(start ? [sql`starts_on >= ${start[grain]}`] : []),
    ...(end ? [sql`starts_on < ${end[grain]}`] : []),
    ...(period && !end ? [sql`starts_on < 'infinity'`] : []),
  );
  return sql.join([whole, ...rest], sql` union all `);
};
