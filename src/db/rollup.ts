import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { equal, type Filters, whereOf } from "./conditions.ts";

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

export const BRASILIA = sql.raw("'America/Sao_Paulo'");
const MICROSECOND = sql.raw("interval '1 microsecond'");

/** One row per row of the table: `id`, `at`, `day`, keys and measures (migrations). */
export const sourceOf = (rollup: PgTable) => sql.identifier(`${getTableConfig(rollup).name}_source`);

/** The first instant after a range's end. */
export const after = (end: SQL) => sql`(${end}::timestamptz + ${MICROSECOND})`;

/** The last instant of a day in Brasília. */
export const lastInstant = (day: SQL) =>
  sql`((${day} + 1)::timestamp at time zone ${BRASILIA}) - ${MICROSECOND}`;

/** The calendar date an instant falls on in Brasília (L2). */
const dateIn = (instant: SQL) => sql`(${instant}::timestamptz at time zone ${BRASILIA})::date`;

/** What `at` must be, of a rollup's source. */
export const within = ({ range: { data_inicio, data_fim }, dates }: Summed): SQL[] => [
  ...(data_inicio ? [sql`at >= ${dates ? dateIn(data_inicio) : data_inicio}`] : []),
  ...(data_fim ? [sql`at <= ${dates ? dateIn(data_fim) : data_fim}`] : []),
  // Rows without a date fall out of a range (L2).
  ...(data_inicio || data_fim ? [sql`at > '-infinity'`] : []),
];

/**
 * The ends of a range: where each is cut, the midnight next to it, and the first of the month next to that. What
 * lies between is few days and half a day of rows at most, to be added or taken away.
 */
const edges = ({ range: { data_inicio, data_fim }, dates }: Summed) => {
  const given = [
    ...(data_inicio ? [sql`(-1, ${data_inicio}::timestamptz)`] : []),
    ...(data_fim ? [sql`(1, ${dates ? sql`${data_fim}::timestamptz` : after(data_fim)})`] : []),
  ];
  const day = dates
    ? sql`${dateIn(sql`cut`)} + (side + 1) / 2`
    : sql`((cut at time zone ${BRASILIA}) + interval '12 hours')::date`;
  return sql`
    select side, cut, day, date_trunc('month', (day + 15)::timestamp)::date as month,
      day::timestamp at time zone ${BRASILIA} as midnight
    from (select side, cut, ${day} as day from (values ${sql.join(given, sql`, `)}) as given(side, cut)) as days`;
};

/**
 * What adds up to the sums over some rows: whole months, then the days and rows by which the range's ends differ
 * from whole months, negative where they are too much (R1–R3, L3).
 * @param keys the rollup's columns wanted with them
 * @param measures `records`, or a column that is summed
 */
export const parts = (summed: Summed, keys: string[], measures: string[] = ["records"]) => {
  const { rollup, filters, range, dates } = summed;
  const matches = equal(filters);
  const columns = (sign: SQL, record: SQL) =>
    sql.join(
      [
        ...keys.map((key) => sql.identifier(key)),
        ...measures.map(
          (m) => sql`${sign}${m === "records" ? record : sql.identifier(m)} as ${sql.identifier(m)}`,
        ),
      ],
      sql`, `,
    );
  const records = sql.identifier("records");
  const months = (...conditions: SQL[]) =>
    sql`select ${columns(sql``, sql`${records}`)} from ${rollup}${whereOf(sql`grain = 'month'`, matches, ...conditions)}`;
  if (!range.data_inicio && !range.data_fim) return months();

  const monthOf = (side: number) => sql`(select month from edges where side = ${sql.raw(String(side))})`;
  const sign = (from: SQL, to: SQL) => sql`case when ${from} <= ${to} then side else -side end * `;
  const whole = months(
    sql`starts_on > '-infinity'`,
    ...(range.data_inicio ? [sql`starts_on >= ${monthOf(-1)}`] : []),
    ...(range.data_fim ? [sql`starts_on < ${monthOf(1)}`] : []),
  );
  const days = sql`
    select ${columns(sign(sql`month`, sql`edges.day`), sql`${records}`)}
    from edges cross join ${rollup}${whereOf(
      sql`grain = 'day'`,
      matches,
      sql`starts_on >= least(month, edges.day) and starts_on < greatest(month, edges.day)`,
    )}`;
  const rows = sql`
    select ${columns(sign(sql`midnight`, sql`cut`), sql`1`)}
    from edges cross join ${sourceOf(rollup)}${whereOf(
      matches,
      sql`at >= least(midnight, cut) and at < greatest(midnight, cut)`,
    )}`;
  return sql`with edges as materialized (${edges(summed)})
    ${whole} union all ${days}${dates ? sql`` : sql` union all ${rows}`}`;
};
