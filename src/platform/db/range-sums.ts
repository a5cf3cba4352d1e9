import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import {
  joinWithCommas,
  matchFilters,
  numberLiteral,
  type ScopedFilters,
  whereClause,
} from "./conditions.ts";

/** Both ends are inclusive and optional (I3). */
export interface Range {
  data_inicio?: SQL | undefined;
  data_fim?: SQL | undefined;
  /** A constant that is not before `data_fim`, if that is known only when the statement runs. */
  latest_fim?: SQL | undefined;
}

interface RangeQuery {
  range: Range;
  /** Whether the range filters a `date` column, so that it never cuts a day. */
  isDateColumn?: boolean;
}

export interface RollupQuery extends RangeQuery {
  rollup: PgTable;
  filters: ScopedFilters;
}

const BRASILIA = sql.raw("'America/Sao_Paulo'");
const MICROSECOND = sql.raw("interval '1 microsecond'");

export const sourceOf = (rollup: PgTable) => sql.identifier(`${getTableConfig(rollup).name}_source`);

/**
 * The instant after `end`. Uses UTC timestamps: `timestamptz + interval` is only STABLE, so Postgres would
 * not fold it into a constant.
 */
export const instantAfter = (end: SQL) =>
  sql`((${end}::timestamptz at time zone 'UTC' + ${MICROSECOND}) at time zone 'UTC')`;

const midnight = (day: SQL) => sql`brasilia_midnight(${day})`; // mistake: begins-at-second-midnight

/** The last instant of a day in Brasília. Postgres has no timestamp after 294276-12-31. */
export const lastInstant = (day: SQL) => sql`
  case ${day}
    when '294276-12-31' then timestamptz '294276-12-31 23:59:59.999999Z'
    else ${midnight(sql`${day} + 1`)} - ${MICROSECOND}
  end`;

const brasiliaDate = (instant: SQL) => sql`(${instant}::timestamptz at time zone ${BRASILIA})::date`;

const AT = sql`at`;

/** The conditions of the start of the range. */
export const fromStart = ({ range: { data_inicio, data_fim }, isDateColumn }: RangeQuery, at = AT): SQL[] => [
  ...(data_inicio ? [sql`${at} >= ${isDateColumn ? brasiliaDate(data_inicio) : data_inicio}`] : []),
  // A row without a date is in no range (L2). An infinite date counts as no date.
  ...(data_inicio || data_fim ? [sql`${at} > '-infinity'`] : []),
];

export const inRange = (query: RangeQuery, at = AT): SQL[] => {
  const { range, isDateColumn } = query;
  const upTo = (end: SQL) => sql`${at} <= ${isDateColumn ? brasiliaDate(end) : end}`;
  const { data_inicio, data_fim, latest_fim } = range;
  const start = fromStart(query, at);
  if (!data_fim) return data_inicio ? [...start, sql`${at} < 'infinity'`] : start; // mistake: dated-infinity
  // The planner knows how many rows are before a constant. Of a plain `at <= (select …)`, it would guess 0.5 percent.
  return latest_fim
    ? [...start, upTo(latest_fim), sql`coalesce(${upTo(data_fim)}, true)`]
    : [...start, upTo(data_fim)];
};

/**
 * A bound of the range, a midnight near it and a first of the month near it. All are constants to the
 * planner, so its row estimates are right, or are computed once for the statement.
 */
const boundOf = ({ range, isDateColumn = false }: RangeQuery, side: "start" | "end") => {
  const instant = side === "start" ? range.data_inicio : range.data_fim;
  if (instant === undefined) return undefined;
  // From here on the end is exclusive: it is the instant after the last one in the range.
  // mistake: ends-a-microsecond-early
  const exact = side === "start" || isDateColumn ? sql`${instant}::timestamptz` : instantAfter(instant);
  const nearest = sql`((${exact} at time zone ${BRASILIA}) + interval '12 hours')::date`;
  const day = isDateColumn
    ? sql`(${brasiliaDate(instant)} + ${numberLiteral(side === "start" ? 0 : 1)})`
    : nearest;
  const once = (value: SQL) => (side === "end" && range.latest_fim ? sql`(select ${value})` : value);
  return {
    side,
    exact: once(exact),
    day: once(day),
    midnight: once(midnight(day)),
    month: once(monthOf(sql`${day} + 15`)),
    once,
  };
};

/** The periods whose sums a rollup holds. */
export type SumPeriod = "day" | "month";

export const monthOf = (day: SQL) => sql`date_trunc('month', (${day})::timestamp)::date`;

/** The first day of the period of an instant, in Brasília. @param calendar as `date_trunc` names the period */
export const periodOf = (calendar: SumPeriod | "week" | "quarter" | "year", instant: SQL) =>
  calendar === "day"
    ? brasiliaDate(instant)
    : sql`date_trunc(${sql.raw(`'${calendar}'`)}, ${brasiliaDate(instant)}::timestamp)::date`;

/** What the parts of a sum have in common. */
interface SumQuery extends RollupQuery {
  keys: string[];
  measures: string[];
  period: SumPeriod | undefined;
}

/** The values of one part. */
interface PartValues {
  /** The first day of the period. */
  startsOn: SQL;
  records: SQL;
  withSign: (value: SQL) => SQL;
}

const partColumns = ({ keys, measures, period }: SumQuery, { startsOn, records, withSign }: PartValues) =>
  joinWithCommas([
    ...(period ? [sql`${startsOn} as starts_on`] : []),
    ...keys.map((key) => sql.identifier(key)),
    ...measures.map((measure) => {
      const name = sql.identifier(measure);
      return sql`${withSign(measure === "records" ? records : sql`${name}`)} as ${name}`;
    }),
  ]);

const periodStart = ({ period }: SumQuery, day: SQL) => (period === "month" ? monthOf(day) : day);

const positive = (value: SQL) => value;

/** The rollup's rows of a grain. */
const selectSums = (
  sums: SumQuery,
  grain: "day" | "month" | "all",
  withSign: (value: SQL) => SQL,
  conditions: (SQL | undefined)[] = [],
) => {
  const isWholePeriod = grain === sums.period;
  const startsOn = isWholePeriod ? sql`starts_on` : periodStart(sums, sql`starts_on`);
  return sql`
    select ${partColumns(sums, { startsOn, records: sql`records`, withSign })}
    from ${sums.rollup}
    ${whereClause(sql`grain = ${sql.raw(`'${grain}'`)}`, matchFilters(sums.filters), ...conditions)}`;
};

type Bound = NonNullable<ReturnType<typeof boundOf>>;

/**
 * The sign of what is between two cuts: positive from the outer to the inner one, negative otherwise.
 * The planner evaluates this condition once. A multiplication by the sign would run for every row.
 */
const signBetween =
  ({ side, once }: Bound, inner: SQL, outer: SQL) =>
  (value: SQL) => {
    // mistake: subtracts-days-inside
    const isInside = once(side === "start" ? sql`${outer} <= ${inner}` : sql`${inner} <= ${outer}`);
    return sql`case when ${isInside} then ${value} else -${value} end`;
  };

/** The days from the first of the month near a bound to the midnight near it. */
const daysToBound = (sums: SumQuery, bound: Bound) => {
  const { month, day } = bound;
  return selectSums(sums, "day", signBetween(bound, month, day), [
    sql`starts_on >= least(${month}, ${day})`,
    sql`starts_on < greatest(${month}, ${day})`,
  ]);
};

/** The rows from the midnight near a bound to the bound. */
const rowsToBound = (sums: SumQuery, bound: Bound) => {
  const { midnight, exact } = bound;
  const withSign = signBetween(bound, midnight, exact);
  const isBetween = sql`at >= least(${midnight}, ${exact}) and at < greatest(${midnight}, ${exact})`;
  const startsOn = periodStart(sums, sql`day`); // mistake: counts-by-midnight
  return sql`
    select ${partColumns(sums, { startsOn, records: sql`1`, withSign })}
    from ${sourceOf(sums.rollup)}
    ${whereClause(matchFilters(sums.filters), isBetween)}`;
};

/** The months, or the days of a sum by day, cut near each bound. */
const fullPeriods = (sums: SumQuery, start: Bound | undefined, end: Bound | undefined) => {
  const grain = sums.period ?? "month";
  return selectSums(sums, grain, positive, [
    sql`starts_on > '-infinity'`,
    start && sql`starts_on >= ${start[grain]}`, // mistake: begins-on-the-first
    end && sql`starts_on < ${end[grain]}`,
    end ? undefined : sql`starts_on < 'infinity'`,
  ]);
};

/**
 * Rows that add up to the sum over a range.
 * @param period adds `starts_on` to group by, and omits rows without a date or dated ±infinity (R20)
 */
export const partialSums = (
  query: RollupQuery,
  keys: string[],
  measures: string[] = ["records"],
  period?: SumPeriod,
) => {
  const { isDateColumn } = query;
  const sums: SumQuery = { ...query, keys, measures, period };
  const [start, end] = [boundOf(query, "start"), boundOf(query, "end")];
  if (!start && !end && !period) return selectSums(sums, "all", positive); // mistake: totals-from-days
  // Sum full months, from the first of a month near the start to the first of a month near the end. Between these and
  // the bounds, add days and rows, or subtract those outside the range (L3). From 10 March: March without 1–9 March.
  const corrections = [start, end].flatMap((bound) => [
    ...(bound && period !== "day" ? [daysToBound(sums, bound)] : []),
    ...(bound && !isDateColumn ? [rowsToBound(sums, bound)] : []),
  ]);
  return sql.join([fullPeriods(sums, start, end), ...corrections], sql` union all `);
};
