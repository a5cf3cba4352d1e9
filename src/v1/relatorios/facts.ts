import { and, type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import { joinWithCommas, matchFilters, whereClause } from "../../db/conditions.ts";
import { inRange, monthOf, partialSums, periodOf, type Range, type SumPeriod } from "../../db/rollup.ts";
import { NO_UNITS, type Scope } from "../../db/scope.ts";
import { DATA_INSTANT, type Earlier } from "../../db/statement.ts";
import { factsOf, planOf } from "./planner.ts";
import {
  asksForLinks,
  calendarOf,
  comparesGoals,
  datesOf,
  dimensionsOf,
  filtersOf,
  type Question,
} from "./question.ts";
import type { MonthReading, Reading, RollupReading, RowReading } from "./source.ts";

/** What the SQL of a question depends on. */
export interface Asked {
  question: Question;
  /** The placeholders of the parameters that were sent. */
  given: Record<string, SQL | undefined>;
  earlier: Earlier | undefined;
  scope: Scope;
}

/** With the range to read: that of the question, or the earlier one. */
type Ranged = Asked & { range: Range | Earlier };

/** The periods of the facts. Periods longer than a day move back as a whole only by months (R23). */
const periodOfFacts = ({ question, range }: Ranged): SumPeriod | undefined => {
  const unit = calendarOf(question);
  const isByDay = unit === "day" || unit === "week" || ("shift" in range && range.movesByDays);
  return unit && (isByDay ? "day" : "month");
};

const select = (columns: Record<string, SQL>): SQL =>
  joinWithCommas(Object.entries(columns).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`));

const factNamed = <Fact>(facts: Record<string, Fact>, name: string): Fact => {
  const fact = facts[name];
  if (fact === undefined) throw new Error(`no fact ${name}`);
  return fact;
};

const pick = <Fact>(facts: Record<string, Fact>, names: string[]): Record<string, Fact> =>
  Object.fromEntries(names.map((name) => [name, factNamed(facts, name)]));

/** The conditions of the filters, over the columns of a reading. */
const conditions = ({ question, given, scope }: Asked, column: (fact: string) => SQL): SQL | undefined =>
  and(
    ...filtersOf(question).map(({ name, condition }) => {
      const value = given[name];
      return value && condition?.(value, column, scope);
    }),
  );

/** The day of a fact, or the first day of its month if that is enough. */
const startOf = (asked: Ranged, day: SQL): SQL => (periodOfFacts(asked) === "month" ? monthOf(day) : day);

/** The units that a reading is limited to (A11). */
const unitsOf = (reading: Reading, { question, scope: { units } }: Asked) => {
  if (question.source.unitParameter === undefined) return NO_UNITS;
  if ("estabelecimento_id" in reading.facts) return units;
  if (units.value === undefined) return NO_UNITS;
  throw new Error("a reading without units for a reader of some units");
};

/** Sums of each day over all writers. Omits days whose records cancel out. */
const sumsByDay = (
  { rollup, only = {} }: RollupReading,
  keys: string[],
  measures: string[],
  { question, range }: Ranged,
) => {
  const columns = sql.raw(["starts_on", ...keys].join(", "));
  const sums = measures.map((name) => sql`sum(${sql.identifier(name)}) as ${sql.identifier(name)}`);
  const isDated = calendarOf(question) ? sql`starts_on > '-infinity' and starts_on < 'infinity'` : undefined;
  const within = inRange({ range, isDateColumn: true }, sql`starts_on`);
  return sql`
    select ${columns}, ${joinWithCommas(sums)}
    from ${rollup}
    ${whereClause(sql`grain = 'day'`, matchFilters(only), ...within, isDated)}
    group by ${columns}
    having sum(records) > 0`;
};

const rollupFacts = (reading: RollupReading, names: string[], asked: Ranged): SQL => {
  const { question, range } = asked;
  const used = new Set(
    names.flatMap((name) => {
      const fact = reading.facts[name];
      return fact === true ? [name] : (fact?.columns ?? []);
    }),
  );
  // In the order of `rollupTable`: `grain`, `starts_on`, the keys, `writer`, `records`, the measures.
  const columns = getTableConfig(reading.rollup).columns.map(({ name }) => name);
  const keys = columns.slice(2, columns.indexOf("writer")).filter((name) => used.has(name));
  const measures = columns
    .slice(columns.indexOf("records"))
    .filter((name) => name === "records" || used.has(name));
  const period = periodOfFacts(asked);
  const filters = { ...reading.only, estabelecimento_id: unitsOf(reading, asked) };
  const { isDateColumn } = datesOf(question);
  const sums = reading.byDay
    ? sumsByDay(reading, keys, measures, asked)
    : partialSums({ rollup: reading.rollup, filters, range, isDateColumn }, keys, measures, period);
  const factOf = (name: string): SQL => {
    const fact = factNamed(reading.facts, name);
    return fact === true ? sql`${sql.identifier(name)}` : fact.sql;
  };
  const facts = select({
    ...(period && { starts_on: reading.byDay ? startOf(asked, sql`starts_on`) : sql`starts_on` }),
    records: sql`records`,
    ...Object.fromEntries(names.map((name) => [name, factOf(name)])),
  });
  return sql`
    select ${facts}
    from (${sums}) as sums
    ${whereClause(conditions(asked, factOf))}`;
};

const rowFacts = (reading: RowReading, names: string[], asked: Ranged): SQL => {
  const { question, range, scope } = asked;
  const within = and(
    ...inRange({ range, isDateColumn: datesOf(question).isDateColumn }, reading.at),
    matchFilters({ estabelecimento_id: unitsOf(reading, asked) }),
  );
  const factOf = (name: string): SQL => {
    const fact = factNamed(reading.facts, name);
    return typeof fact === "function" ? fact({ scope, inRange: within }) : fact;
  };
  // Rows without a date, or dated ±infinity, are in no period and have no weekday (R20).
  const dated = [
    ...(calendarOf(question) ? [sql`isfinite(${factOf("starts_on")})`] : []),
    ...(dimensionsOf(question).some(({ isCycle }) => isCycle) ? [sql`${factOf("hora")} is not null`] : []),
  ];
  const facts = select({
    ...(calendarOf(question) && { starts_on: startOf(asked, factOf("starts_on")) }),
    records: sql`1`,
    ...Object.fromEntries(names.map((name) => [name, factOf(name)])),
  });
  return sql`
    select ${facts}
    from ${reading.from}
    ${whereClause(within, ...dated, conditions(asked, factOf))}`;
};

const monthFacts = (reading: MonthReading, names: string[], asked: Ranged): SQL => {
  const { months, month, facts } = reading;
  const { data_inicio, data_fim } = asked.range;
  const where = whereClause(
    data_inicio && sql`${month} >= ${periodOf("month", data_inicio)}`,
    data_fim && sql`${month} <= ${periodOf("month", data_fim)}`,
    // An earlier range without data ends before it starts.
    "shift" in asked.range ? sql`${data_inicio} <= ${data_fim}` : undefined,
    matchFilters({ estabelecimento_id: unitsOf(reading, asked) }),
  );
  return sql`
    select ${select({ starts_on: month, records: sql`1`, ...pick(facts, names) })}
    from ${months}
    ${where}`;
};

const readingFacts = (reading: Reading, names: string[], asked: Ranged): SQL => {
  if ("rollup" in reading) return rollupFacts(reading, names, asked);
  if ("from" in reading) return rowFacts(reading, names, asked);
  return monthFacts(reading, names, asked);
};

/** Whether the data has passed the range; undefined for a question that may be about any range (R24, B1). */
export const isPast = ({ question, given, scope }: Asked): SQL | undefined =>
  asksForLinks(question, { personalData: !scope.hidesPersonalData }) || comparesGoals(question)
    ? sql`${given.data_fim}::timestamptz < ${DATA_INSTANT}`
    : undefined;

/** Selects the facts of a question: rows that its measures aggregate. */
export const selectFacts = (asked: Ranged): SQL => {
  const isByUnit = asked.scope.units.value !== undefined;
  const readings = planOf(asked.question, isByUnit);
  const names = factsOf(asked.question, false);
  return sql.join(
    readings.map((reading) => readingFacts(reading, names, asked)),
    sql`
      union all `,
  );
};
