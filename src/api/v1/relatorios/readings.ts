import { and, Column, getTableName, is, SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { joinWithCommas, matchFilters, numberLiteral, whereClause } from "../../../platform/db/conditions.ts";
import {
  inRange,
  monthOf,
  partialSums,
  periodOf,
  type Range,
  type SumPeriod,
} from "../../../platform/db/range-sums.ts";
import { shapeOf } from "../../../platform/db/rollup.ts";
import { ANY_UNIT, type Scope } from "../../../platform/db/scope.ts";
import { DATA_INSTANT, type Earlier } from "../../../platform/db/statement.ts";
import {
  asksForLinks,
  calendarOf,
  comparesGoals,
  comparesWhenOver,
  dimensionsOf,
  filtersOf,
  measuresOf,
  partsOf,
  type Question,
} from "./question.ts";
import type { Part, RangeContext } from "./source.ts";

/** What the SQL of a question depends on. */
export interface AskedReport {
  question: Question;
  /** The placeholders of the parameters that were sent. */
  placeholders: Record<string, SQL | undefined>;
  earlier: Earlier | undefined;
  scope: Scope;
}

/** With the range to read: that of the question, or the earlier one. */
export type Ranged = AskedReport & { range: Range | Earlier };

/** The columns of a table that a piece of SQL names. */
const columnsIn = (table: PgTable, chunk: unknown): string[] => {
  if (Array.isArray(chunk)) return chunk.flatMap((one) => columnsIn(table, one));
  if (is(chunk, SQL)) return columnsIn(table, chunk.queryChunks);
  return is(chunk, Column) && chunk.table === table ? [chunk.name] : [];
};

const unique = (names: string[]): string[] => [...new Set(names)];

const nameOf = (table: PgTable): SQL => sql`${sql.identifier(getTableName(table))}`;

/** What is read has the name of the source's table, so that SQL over its columns applies. */
export const readingName = ({ source }: Question): SQL => nameOf(source.facts);

const isOfDates = ({ at }: Part): boolean => at.getSQLType() === "date";

const unitsOf = ({ question, scope }: AskedReport) =>
  question.source.unitParameter ? scope.units : ANY_UNIT; // mistake: forgets-units

/** The months that a range touches. */
const isInMonths = (month: Column, range: Range | Earlier): SQL[] => {
  const { data_inicio, data_fim } = range;
  return [
    ...(data_inicio ? [sql`${month} >= ${periodOf("month", data_inicio)}`] : []), // mistake: loses-first-goal
    ...(data_fim ? [sql`${month} <= ${periodOf("month", data_fim)}`] : []),
    // An earlier range without data ends before it starts.
    ...("shift" in range ? [sql`${data_inicio} <= ${data_fim}`] : []),
  ];
};

/** The conditions of range and units on the facts of a part. */
const isRead = (part: Part, asked: Ranged): SQL | undefined => {
  const { range } = asked;
  const within = part.ofMonthsFor
    ? isInMonths(part.day, range)
    : inRange({ range, isDateColumn: isOfDates(part) }, sql`${part.at}`);
  return and(...within, matchFilters({ estabelecimento_id: unitsOf(asked) })); // mistake: facts-of-any-unit
};

const contextOf = ({ question, scope, range, placeholders }: Ranged): RangeContext => ({
  scope,
  range,
  placeholders,
  dimensions: question.dimensions,
  measures: question.measures,
  filters: question.filters,
});

/** The measures by name, as aggregates. */
export const aggregatesOf = (asked: Ranged): [name: string, aggregate: SQL][] =>
  measuresOf(asked.question).map(({ name, sql: aggregate }) => [
    name,
    typeof aggregate === "function" ? aggregate(contextOf(asked)) : aggregate,
  ]);

/** The keys of a row by name. */
export const keyValues = ({ question, scope }: AskedReport): [key: string, value: SQL, isPeriod: boolean][] =>
  dimensionsOf(question).flatMap(({ keys, calendar }) =>
    Object.entries(keys).map(([key, { sql: value }]): [string, SQL, boolean] => [
      key,
      typeof value === "function" ? value(scope) : value,
      calendar !== undefined,
    ]),
  );

/** The conditions of the filters. Facts without a time have no weekday and no hour (R20). */
export const conditionsOf = (asked: Ranged): SQL | undefined =>
  and(
    ...filtersOf(asked.question).map(({ name, condition }) => {
      const value = asked.placeholders[name];
      return value && condition?.(value, contextOf(asked));
    }),
    ...dimensionsOf(asked.question).flatMap(({ keys, isCycle }) =>
      isCycle ? Object.values(keys).map(({ sql: value }) => sql`${value} is not null`) : [],
    ),
  );

/** The periods that are read. Periods longer than a day move back as a whole only by months (R23). */
const periodOfFacts = ({ question, range }: Ranged): SumPeriod | undefined => {
  const calendar = calendarOf(question);
  // mistake: reads-months
  const isByDay = calendar === "day" || calendar === "week" || ("shift" in range && range.movesByDays);
  return calendar && (isByDay ? "day" : "month");
};

/** Names of columns. */
interface Columns {
  all: string[];
  /** Those of dimensions and filters: a sum of several facts is no value of theirs. */
  grouped: string[];
}

/** The first rollup with all columns; each has the unit. Without one, the facts are read. */
const rollupWith = ({ rollups }: Part, { all, grouped }: Columns, { question }: AskedReport) => {
  if (measuresOf(question).some(({ readsFacts }) => readsFacts)) return undefined;
  return rollups.find((rollup) => {
    const { keys, measures } = shapeOf(rollup);
    const isKey = (name: string) => keys.includes(name);
    // mistake: lacks-a-column
    return grouped.every(isKey) && all.every((name) => isKey(name) || measures.includes(name));
  });
};

const select = (columns: Record<string, Column | SQL>): SQL =>
  joinWithCommas(Object.entries(columns).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`));

/** Selects columns of a part, `records`, and `starts_on` if the question has a period. */
const selectPart = (part: Part, columns: Columns, asked: Ranged): SQL => {
  const { range } = asked;
  const rollup = rollupWith(part, columns, asked);
  const period = periodOfFacts(asked);
  if (rollup) {
    const { keys, measures } = shapeOf(rollup);
    const used = (names: string[]) => names.filter((name) => columns.all.includes(name));
    const filters = { estabelecimento_id: unitsOf(asked).withoutIndex() }; // mistake: sums-of-any-unit
    const query = { rollup, filters, range, isDateColumn: isOfDates(part) };
    return partialSums(query, used(keys), ["records", ...used(measures)], period);
  }
  const day = sql`${part.day}`;
  const rows = part.rows?.(contextOf(asked), columns.all);
  const read = rows ? undefined : isRead(part, asked); // mistake: loses-the-range
  return sql`
    select ${select({
      ...(period && { starts_on: period === "month" ? monthOf(day) : day }),
      records: sql`1`,
      ...Object.fromEntries(columns.all.map((name) => [name, sql`${part.facts}.${sql.identifier(name)}`])),
    })}
    from ${rows ? sql`(${rows}) as ${nameOf(part.facts)}` : sql`${part.facts}`}
    ${whereClause(read, period && sql`isfinite(${day})`)}`;
};

const columnNamed = (columns: Record<string, Column | SQL>, name: string): Column | SQL => {
  const column = columns[name];
  if (column === undefined) throw new Error(`no column ${name}`);
  return column;
};

/** Selects a part by the columns of its source. */
const selectColumns = (part: Part, named: Columns, asked: Ranged): SQL => {
  const { columns } = part;
  if (columns === undefined) return selectPart(part, named, asked);
  const values = Object.fromEntries(named.all.map((name) => [name, columnNamed(columns, name)]));
  const ownOf = (names: string[]) =>
    unique(
      columnsIn(
        part.facts,
        names.map((name) => values[name]),
      ),
    );
  const own = { all: ownOf(named.all), grouped: ownOf(named.grouped) };
  const period = periodOfFacts(asked) && { starts_on: sql`starts_on` };
  return sql`
    select ${select({ ...period, records: sql`records`, ...values })}
    from (${selectPart(part, own, asked)}) as ${nameOf(part.facts)}`;
};

/**
 * Selects what a question aggregates, its reading: rows of a rollup or of the facts, with the columns that its SQL
 * names, `records`, and `starts_on` if it has a period.
 */
export const selectReading = (asked: Ranged): SQL => {
  const { facts } = asked.question.source;
  const grouped = unique(columnsIn(facts, [keyValues(asked), conditionsOf(asked)]));
  const all = unique([...columnsIn(facts, aggregatesOf(asked)), ...grouped]);
  const parts = partsOf(asked.question).filter(
    ({ ofMonthsFor }) => ofMonthsFor === undefined || all.includes(ofMonthsFor.name),
  );
  return sql.join(
    parts.map((part) => selectColumns(part, { all, grouped }, asked)),
    sql`
      union all `,
  );
};

/** Whether the data has passed the range; undefined for a question that may be about any range (R24, B1, R27). */
export const isPast = ({ question, placeholders, scope }: AskedReport): SQL | undefined => {
  const { data_fim } = placeholders;
  const asksLinks = asksForLinks(question, { personalData: !scope.hidesPersonalData });
  if (data_fim === undefined || !(asksLinks || comparesGoals(question) || comparesWhenOver(question)))
    return undefined;
  const isOver = sql`${data_fim}::timestamptz < ${DATA_INSTANT}`; // mistake: clients-of-running-month
  const daysAhead = Math.max(...measuresOf(question).map((measure) => measure.daysAhead ?? 0));
  if (!asksLinks || daysAhead === 0) return isOver;
  // mistake: open-return
  return sql`${periodOf("day", data_fim)} + ${numberLiteral(daysAhead)} < ${periodOf("day", DATA_INSTANT)}`;
};
