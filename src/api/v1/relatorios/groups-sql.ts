import { type SQL, sql } from "drizzle-orm";
import { joinWithCommas, whereClause } from "../../../platform/db/conditions.ts";
import { periodOf, type Range } from "../../../platform/db/range-sums.ts";
import type { Earlier } from "../../../platform/db/statement.ts";
import { calendarOf, filtersOf, keyNames, measuresOf } from "./question.ts";
import {
  type AskedReport,
  aggregatesOf,
  conditionsOf,
  isPast,
  keyValues,
  type Ranged,
  readingName,
  selectReading,
} from "./readings.ts";
import type { CalendarGrain } from "./source.ts";

export const name = (text: string): SQL => sql`${sql.identifier(text)}`;
export const names = (texts: string[]): SQL => joinWithCommas(texts.map(name));
export const earlierName = (measure: string) => `anterior_${measure}`;

/** The lengths of the periods that are whole months. */
export const MONTHS_OF: Partial<Record<CalendarGrain, number>> = { month: 1, quarter: 3, year: 12 };

/** Adjacent months have adjacent numbers. */
export const monthNumber = (day: SQL): SQL =>
  sql`(extract(year from ${day}) * 12 + extract(month from ${day}))::integer`;

/** The period of the range into which the facts' day moves forward (R23). Null for a day without a counterpart. */
const laterPeriod = ({ data_inicio, data_fim }: Range, { shift }: Earlier, calendar: CalendarGrain): SQL => {
  const later = sql`(starts_on + ${shift})::date`; // mistake: days-not-moved
  if (!data_inicio || !data_fim) return later;
  const [first, last] = [periodOf("day", data_inicio), periodOf("day", data_fim)];
  // 31 January moves to 28 February, which moves to 28 January.
  const movesBack = sql`(${later} - ${shift})::date = starts_on`; // mistake: last-days-of-month
  if (calendar === "day")
    return sql`case
        when ${later} between ${first} and ${last} and ${movesBack} then ${later}
      end`;
  // mistake: loses-moved-days
  return sql`date_trunc(${sql.raw(`'${calendar}'`)}, least(greatest(${later}, ${first}), ${last})::timestamp)::date`;
};

/** The columns that hold the keys in a reading. */
const keyColumns = ({ question }: AskedReport): SQL[] => keyNames(question).map((_, n) => name(`key_${n}`));

const rangedBy = (asked: AskedReport, earlier?: Earlier): Ranged => ({
  ...asked,
  range: earlier ?? asked.placeholders, // mistake: ends-with-the-day
});

/** The reading with the keys of its rows. */
const keyedReading = (asked: AskedReport, earlier?: Earlier): SQL => {
  const [calendar, reading] = [calendarOf(asked.question), readingName(asked.question)];
  const keys = keyValues(asked).map(([, own, isPeriod], n) => {
    const value = calendar && isPeriod && earlier ? laterPeriod(asked.placeholders, earlier, calendar) : own;
    return sql`${value} as ${name(`key_${n}`)}`;
  });
  const ranged = rangedBy(asked, earlier);
  const conditions = whereClause(conditionsOf(ranged), isPast(asked)); // mistake: loses-a-filter
  return sql`
    select ${joinWithCommas([sql`${reading}.*`, ...keys])}
    from (${selectReading(ranged)}) as ${reading}${conditions}`;
};

/** The keys and the measures of a row, of `keyedReading`. */
const rowOf = (asked: AskedReport, earlier?: Earlier): { keys: SQL[]; measures: SQL[] } => ({
  keys: keyNames(asked.question).map((key, n) => sql`${name(`key_${n}`)} as ${name(key)}`),
  measures: aggregatesOf(rangedBy(asked, earlier)).map(
    ([measure, value]) => sql`${value} as ${name(measure)}`,
  ),
});

/** The measures of each row and, with `is_total`, of everything that matched. @param reading a `keyedReading` */
const groupedBy = (asked: AskedReport, reading: SQL, earlier?: Earlier): SQL => {
  const { keys, measures: own } = rowOf(asked, earlier);
  const measures = [...own, sql`coalesce(sum(records), 0) as records`];
  const from = sql`from (${reading}) as ${readingName(asked.question)}`;
  if (keys.length === 0)
    return sql`
    select true as is_total, ${joinWithCommas(measures)}
    ${from}`;
  return sql`
    select ${joinWithCommas([...keys, sql`grouping(key_0) = 1 as is_total`, ...measures])}
    ${from}
    group by grouping sets ((${joinWithCommas(keyColumns(asked))}), ())
    having grouping(key_0) = 1 or sum(records) > 0`;
};

/** The values of measures without rows. */
export const emptyOf = ({ question, scope }: AskedReport): Record<string, SQL | undefined> =>
  Object.fromEntries(
    measuresOf(question).map(({ name: measure, empty }) => [
      measure,
      typeof empty === "function"
        ? empty({ scope, dimensions: question.dimensions })
        : empty === "null"
          ? undefined
          : sql.raw(empty),
    ]),
  );

export const orEmpty = (value: SQL, empty: SQL | undefined): SQL =>
  empty ? sql`coalesce(${value}, ${empty})` : value;

/** Puts the measures of both ranges into one row. Days without a counterpart are only in the total. */
const comparedGroups = (asked: AskedReport): SQL => {
  const { question } = asked;
  const [keys, calendar, empty] = [keyNames(question), calendarOf(question), emptyOf(asked)];
  const { measures } = question;
  const list = names([...keys, "is_total", ...measures, "records"]);
  // mistake: row-without-counterpart
  const hasCounterpart =
    calendar === "day" ? sql`is_total or ${names(keys.slice(0, 1))} is not null` : undefined;
  const column = (measure: string, side: SQL, alias: string) => {
    const value = sql`max(${name(measure)}) filter (where ${side})`;
    return sql`${orEmpty(value, empty[measure])} as ${name(alias)}`;
  };
  const columns = measures.flatMap((measure) => [
    column(measure, sql`not is_earlier`, measure),
    column(measure, sql`is_earlier`, earlierName(measure)),
  ]);
  return sql`
    select ${names([...keys, "is_total"])}, ${joinWithCommas(columns)}, sum(records) as records
    from (
      select ${list}, false as is_earlier from now_grouped
      union all
      select ${list}, true as is_earlier from earlier_grouped${whereClause(hasCounterpart)}
    ) as sides
    group by ${names([...keys, "is_total"])}`;
};

/** The conditions on rows of the answer (R21). */
const rowConditions = ({ question, placeholders }: AskedReport): SQL[] =>
  filtersOf(question).flatMap(({ name: filter, having }) => {
    const value = placeholders[filter];
    return value && having ? [having(value)] : [];
  });

/** CTEs that end with `grouped`. */
export const groupedRows = (asked: AskedReport): SQL[] => {
  const { earlier } = asked;
  const having = rowConditions(asked); // mistake: ignores-minimum
  // Arrays, because rows with null are equal.
  const row = sql`array[${joinWithCommas(keyColumns(asked).map((key) => sql`${key}::text`))}]`;
  const kept = (reading: SQL) =>
    having.length > 0
      ? sql`select * from (${reading}) as reading where ${row} in (select kept_row from kept)`
      : reading;
  const own = having.length > 0 ? sql`select * from now_reading` : keyedReading(asked);
  return [
    ...(having.length > 0
      ? [
          sql`now_reading as materialized (${keyedReading(asked)})`,
          sql`kept as materialized (
            select ${row} as kept_row
            from now_reading
            group by 1
            having ${sql.join(having, sql` and `)}
          )`,
        ]
      : []),
    ...(earlier
      ? [
          sql`now_grouped as materialized (${groupedBy(asked, kept(own))})`,
          // mistake: too-few-visits-before
          sql`earlier_grouped as materialized (${groupedBy(asked, kept(keyedReading(asked, earlier)), earlier)})`,
          sql`grouped as materialized (${comparedGroups(asked)})`,
        ]
      : [sql`grouped as materialized (${groupedBy(asked, kept(own))})`]),
  ];
};

/** The measures of each row, without order, labels and total; without dimensions, those of everything. */
export const selectMeasures = (asked: AskedReport): SQL => {
  const { keys, measures } = rowOf(asked);
  const groups = sql`
  group by ${joinWithCommas(keyColumns(asked))}
  having sum(records) > 0`;
  return sql`
  select ${joinWithCommas([...keys, ...measures])}
  from (${keyedReading(asked)}) as ${readingName(asked.question)}${keys.length > 0 ? groups : sql``}`;
};
