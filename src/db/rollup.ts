import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { equal, type Filters, joined, numberLiteral, whereOf } from "./conditions.ts";

/** Both ends are inclusive and optional (I3). */
export interface Range {
  data_inicio?: SQL | undefined;
  data_fim?: SQL | undefined;
}

export interface RollupQuery {
  rollup: PgTable;
  filters: Filters;
  range: Range;
  /** The range is over a `date` column, so it never cuts a day. */
  dates?: boolean;
}

const BRASILIA = sql.raw("'America/Sao_Paulo'");
const MICROSECOND = sql.raw("interval '1 microsecond'");

export const sourceOf = (rollup: PgTable) => sql.identifier(`${getTableConfig(rollup).name}_source`);

/** The next instant. Computed in UTC, because Postgres would evaluate `timestamptz + interval` again for each row. */
export const after = (end: SQL) =>
  sql`((${end}::timestamptz at time zone 'UTC' + ${MICROSECOND}) at time zone 'UTC')`;

const midnight = (day: SQL) => sql`brasilia_midnight(${day})`;

/** The last instant of a day in Brasília. Postgres has no timestamp after 294276-12-31. */
export const lastInstant = (day: SQL) =>
  sql`case ${day} when '294276-12-31' then timestamptz '294276-12-31 23:59:59.999999Z' else ${midnight(sql`${day} + 1`)} - ${MICROSECOND} end`;

const dateIn = (instant: SQL) => sql`(${instant}::timestamptz at time zone ${BRASILIA})::date`;

const AT = sql`at`;

export const afterStart = ({ range: { data_inicio, data_fim }, dates }: RollupQuery, at = AT): SQL[] => [
  ...(data_inicio ? [sql`${at} >= ${dates ? dateIn(data_inicio) : data_inicio}`] : []),
  // A row without a date is in no range (L2). The date -infinity counts as no date.
  ...(data_inicio || data_fim ? [sql`${at} > '-infinity'`] : []),
];

export const inRange = (summed: RollupQuery, at = AT): SQL[] => {
  const { range, dates } = summed;
  return [
    ...afterStart(summed, at),
    ...(range.data_fim ? [sql`${at} <= ${dates ? dateIn(range.data_fim) : range.data_fim}`] : []),
  ];
};

// The nearest midnight and first of a month. The planner computes both, so its row estimates are right.
const rangeEnd = (instant: SQL, end: "start" | "end", dates = false) => {
  // The range is half-open from here on: its end is the next instant.
  const cut = end === "start" || dates ? sql`${instant}::timestamptz` : after(instant);
  const nearest = sql`((${cut} at time zone ${BRASILIA}) + interval '12 hours')::date`;
  const day = dates ? sql`(${dateIn(instant)} + ${numberLiteral(end === "start" ? 0 : 1)})` : nearest;
  return {
    end,
    cut,
    day,
    midnight: midnight(day),
    month: monthOf(sql`${day} + 15`),
  };
};

export type Period = "day" | "month";

export const monthOf = (day: SQL) => sql`date_trunc('month', (${day})::timestamp)::date`;

export const periodOf = (period: Period, instant: SQL) =>
  period === "day" ? dateIn(instant) : monthOf(dateIn(instant));

/** Rows that add up to the sum over a range. @param period adds `starts_on`; it omits undated and ±infinity rows (R4) */
export const partialSums = (
  summed: RollupQuery,
  keys: string[],
  measures: string[] = ["records"],
  period?: Period,
) => {
  const { rollup, filters, range, dates } = summed;
  const start = range.data_inicio && rangeEnd(range.data_inicio, "start", dates);
  const end = range.data_fim && rangeEnd(range.data_fim, "end", dates);
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

  // Corrects the whole months at each end by at most half a month of days and half a day of rows. A part is negative
  // where the month or day extends beyond the range (L3).
  const rest = [start, end].flatMap((rangeEnd) => {
    if (!rangeEnd) return [];
    const { cut, midnight, day, month } = rangeEnd;
    // The planner evaluates this condition once. A multiplication by the sign would run for every row.
    const signed = (inner: SQL, outer: SQL) => (value: SQL) =>
      sql`case when ${rangeEnd.end === "start" ? sql`${outer} <= ${inner}` : sql`${inner} <= ${outer}`} then ${value} else -${value} end`;
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
