import type pg from "pg";
import type { Rights } from "../../../src/core/rights.ts";
import { rangeConditions } from "../answers.ts";
import { formatInstant, type Instant } from "../instants.ts";
import { columnsOf, dimensionsOf, type GeneralQuestion, measuresOf } from "./general-question.ts";
import { inUnits, type PlainDimension, type PlainSource, type Reading, TZ } from "./plain-source.ts";

export interface Range {
  from?: Instant | undefined;
  to?: Instant | undefined;
}

export interface Asked {
  source: PlainSource;
  question: GeneralQuestion;
  rights: Rights;
  range: Range;
  /** The range to compare with. */
  earlier?: Range | undefined;
  /** How far the data reaches: measures of a return need it. */
  reached?: Instant;
  /** Whether everything that matched is one row. */
  isTotal?: boolean;
}

export type Row = Record<string, unknown>;

const quoted = (name: string) => `"${name}"`;

/** None for the total. */
const dimensionsOfRows = ({ source, question, isTotal }: Asked): PlainDimension[] =>
  isTotal ? [] : dimensionsOf(source, question);

const instantSql = (at: Instant | undefined) =>
  at === undefined ? undefined : `timestamptz '${formatInstant(at)}'`;

const readingOf = (asked: Asked, range: Range): Reading => {
  const { source, question, rights, reached = 0n } = asked;
  const { from, to } = range;
  const { data, filters, por } = question;
  const unit = filters.estabelecimento_id;
  return {
    ownUnits: rights.units,
    units: unit === undefined ? rights.units : [unit],
    isMasked: !rights.personalData,
    data,
    from: instantSql(from),
    to: instantSql(to),
    medidas: measuresOf(source, question),
    por,
    filters,
    dataDay: `${periodOf("day", reached)}::date`,
    isTotal: asked.isTotal ?? false,
    shift: range === asked.earlier ? shiftOf(asked) : undefined,
  };
};

/** Rows without a date match neither a period, a weekday or an hour nor a range. */
const datedConditions = ({ source, question }: Asked, { from, to }: Range): string[] => {
  const isDate = source.isDate(question.data);
  const at = isDate ? "day" : "at";
  const isOfTime =
    dimensionsOf(source, question).some(({ unit, isCycle }) => unit || isCycle) ||
    Object.keys(question.filters).some((name) => source.filters[name]?.isOfTime);
  return [...rangeConditions({ from, to }, at, isDate), ...(isOfTime ? [`isfinite(${at})`] : []), "true"];
};

/** The conditions on the rows of a source. */
const conditionsOf = (asked: Asked, reading: Reading, range: Range): string => {
  const { source, question } = asked;
  const dated = datedConditions(asked, range).join(" and ");
  const filters = Object.entries(question.filters).flatMap(
    ([name, value]) => source.filters[name]?.condition(value, reading) ?? [],
  );
  return [
    source.hasExemptRows?.(reading.medidas) ? `is_exempt or (${dated})` : dated,
    ...(source.hasUnits ? [inUnits(reading.units, "estabelecimento_id")] : []),
    ...filters,
  ]
    .map((condition) => `(${condition})`)
    .join(" and ");
};

const calendarOf = (asked: Asked) => dimensionsOfRows(asked).find(({ unit }) => unit);

const stepOf = (unit: string) => (unit === "quarter" ? "interval '3 months'" : `interval '1 ${unit}'`);

/** The first instant of the period of an instant, as a timestamp. */
const periodOf = (unit: string, at: Instant) =>
  `date_trunc('${unit}', timestamptz '${formatInstant(at)}' at time zone ${TZ})`;

/** One more than a series may have is enough. */
const ENOUGH = 1101;

/** Each period of a series, counted downwards because Postgres cannot store a period after the last one. */
const series = ({ range: { from, to } }: Asked, key: string, unit: string): string => {
  const first = from === undefined ? `(select min(${key}) from matched)` : periodOf(unit, from);
  const last = to === undefined ? `(select max(${key}) from matched)` : periodOf(unit, to);
  return `select 'one', (last - n * ${stepOf(unit)})::date
    from (select ${first}::timestamp as first, ${last}::timestamp as last) as ends, generate_series(0, ${ENOUGH - 1}) as n
    where last - n * ${stepOf(unit)} >= first`;
};

/** Each weekday that is asked for, without rows too, and each hour between those of rows, for each unit that has rows. */
const cycle = ({ question }: Asked, keys: string[]): string => {
  const days = question.filters.dia_semana ?? "1,2,3,4,5,6,7";
  const sets: Record<string, string> = {
    one: "(select 'one' as one)",
    dia_semana: `(select unnest(array[${days}]) as dia_semana)`,
    hora: "(select generate_series(min(hora), max(hora)) as hora from matched)",
    estabelecimento_id: "(select distinct estabelecimento_id from matched)",
  };
  return `select ${keys.map((key) => `${key}.${key}`).join()} from ${keys.map((key) => `${sets[key]} as ${key}`).join(" cross join ")}`;
};

/** A select of the keys of the rows that have no gaps (R22). */
const fillOf = (asked: Asked, keys: string[]): string => {
  const dimensions = dimensionsOfRows(asked);
  const [first] = dimensions;
  if (first === undefined) return "select 'one'";
  if (first.unit && dimensions.length === 1) return series(asked, quoted(keys[1] ?? ""), first.unit);
  const isFull =
    dimensions.some(({ isCycle }) => isCycle) &&
    dimensions.every(({ isCycle, keys: own }) => isCycle || "estabelecimento_id" in own);
  return isFull ? cycle(asked, keys) : `select ${keys.map(quoted).join()} from matched`;
};

const MOVES: Record<string, string> = {
  "semana-anterior": "interval '7 days'",
  "mes-anterior": "interval '1 month'",
  "ano-anterior": "interval '12 months'",
};

/** How far the range moves back. */
const shiftOf = ({ question: { comparar }, range: { from = 0n, to = 0n } }: Asked): string =>
  MOVES[comparar ?? ""] ??
  `(${periodOf("day", to)}::date - ${periodOf("day", from)}::date + 1) * interval '1 day'`;

/**
 * The day on which a row counts: its own, or in the earlier range the day of the range to which it moves, which is null
 * for a day without a counterpart (R23).
 */
const countedOn = (asked: Asked, isEarlier: boolean): string => {
  const unit = calendarOf(asked)?.unit;
  if (!isEarlier || unit === undefined) return "day";
  const { from = 0n, to = 0n } = asked.range;
  const [first, last] = [`${periodOf("day", from)}::date`, `${periodOf("day", to)}::date`];
  const { comparar = "" } = asked.question;
  const moved = `(day + ${shiftOf(asked)})::date`;
  if (unit !== "day")
    return `case when ${moved} < ${first} then ${first} when ${moved} > ${last} then ${last} else ${moved} end`;
  const isSameDay = /^(mes|ano)/.test(comparar)
    ? `extract(day from ${moved}) = extract(day from day)`
    : "true";
  return `case when ${isSameDay} and ${moved} >= ${first} and ${moved} <= ${last} then ${moved} end`;
};

/** A label may have the name of a key, which it then replaces. */
const labelName = (name: string) => `label ${name}`;

const earlierName = (name: string) => `anterior_${name}`;

/** The keys of a row with their SQL. A constant one serves answers without dimensions. */
const keysOf = (asked: Asked, reading: Reading): [string, string][] => [
  ["one", "'one'::text"],
  ...dimensionsOfRows(asked).flatMap(({ keys }) =>
    Object.entries(keys).map(([name, sql]): [string, string] => [
      name,
      typeof sql === "function" ? sql(reading) : sql,
    ]),
  ),
];

/** `visitas_min`, if it filters rows of the answer and not rows of the source. */
const minimumOf = ({ source, question }: Asked): string | undefined =>
  source.filters.visitas_min?.needsClient ? question.filters.visitas_min : undefined;

/** The condition of `visitas_min`: the row of the answer has so many visits in the range (R21). */
const remaining = (asked: Asked, found: string): string => {
  const visitas_min = minimumOf(asked);
  if (visitas_min === undefined) return "";
  const keys = keysOf({ ...asked, isTotal: false }, readingOf(asked, asked.range)).map(
    ([, sql]) => `(${sql})::text`,
  );
  return `where (select array[${keys.join()}]) in (
      select array[${keys.join()}] from (${found}) as source group by 1 having count(*) >= ${visitas_min})`;
};

/** The measures of each row of one range. */
const grouped = (asked: Asked, range: Range, isEarlier: boolean): string => {
  const { source, question } = asked;
  const reading = readingOf(asked, range);
  const keys = keysOf(asked, reading).map(([name, sql]) => `${sql} as ${quoted(name)}`);
  const measures = reading.medidas.map((name) => {
    const sql = source.measures[name]?.sql;
    return `${typeof sql === "function" ? sql(reading) : sql} as ${quoted(name)}`;
  });
  const local = source.isDate(question.data)
    ? ""
    : `, at at time zone ${TZ} as local, (at at time zone ${TZ})::date as day`;
  // The rows that `visitas_min` leaves are those of moved days, also for the total.
  const counted = {
    ...asked,
    isTotal: (asked.isTotal ?? false) && minimumOf(asked) === undefined,
  };
  const found = (ends: Range, ofEarlier: boolean) => {
    const read = readingOf(asked, ends);
    const day = countedOn(counted, ofEarlier);
    return `select * from (select *, ${day} as counted_on from (select *${local} from (${source.rows(read)}) as found) as found) as source
      where ${conditionsOf(asked, read, ends)}${day === "day" ? "" : " and counted_on is not null"}`;
  };
  return `select ${[...keys, ...measures].join()}, count(*) as records
    from (${found(range, isEarlier)}) as source ${remaining(asked, found(asked.range, false))} group by ${keys.map((_, n) => n + 1).join()}`;
};

/** The order of the rows (R21). */
const orderOf = (asked: Asked, keys: string[], [first = ""]: string[]): string => {
  const temporal = dimensionsOfRows(asked).find(({ unit, isCycle, order }) => unit || isCycle || order);
  const sorted = dimensionsOfRows(asked).flatMap(({ keys: own, order }) =>
    order ? Object.keys(own).map((key): [string, string] => [key, order(quoted(key))]) : [],
  );
  const sortKey = (key: string) => Object.fromEntries(sorted)[key] ?? quoted(key);
  const chosen = asked.question.ordem ?? (temporal ? Object.keys(temporal.keys)[0] : `-${first}`) ?? "";
  const name = chosen.replace(/^-/, "");
  const isLabel = dimensionsOfRows(asked).some(({ labels = {} }) => name in labels);
  const shown = isLabel ? quoted(labelName(name)) : sortKey(name);
  const value = name === "variacao" ? `${quoted(first)} - ${quoted(earlierName(first))}` : shown;
  const direction = chosen.startsWith("-") ? "desc" : "asc";
  return [`${value} ${direction}`, ...keys.map(sortKey)].map((one) => `${one} nulls last`).join();
};

const joined = (side: string, keys: string[]) =>
  `left join ${side} on ${keys.map((key) => `${side}.${quoted(key)} is not distinct from keys.${quoted(key)}`).join(" and ")}`;

/** The measures of both ranges. Without rows, a number is 0 and anything else is null. */
const measured = ({ source, earlier }: Asked, reading: Reading): string => {
  const { medidas } = reading;
  const value = (side: string, name: string, alias: string) => {
    const empty = source.measures[name]?.empty ?? "null";
    const none = typeof empty === "function" ? empty(reading) : empty;
    return `coalesce(${side}.${quoted(name)}, ${none}) as ${quoted(alias)}`;
  };
  return medidas
    .flatMap((name) => [
      value("now_rows", name, name),
      ...(earlier ? [value("then_rows", name, earlierName(name))] : []),
    ])
    .join();
};

/** The columns of a row of the answer. */
const shownOf = (asked: Asked, { medidas }: Reading): string => {
  const { source, question, earlier, isTotal } = asked;
  const labels = dimensionsOfRows(asked).flatMap(({ labels: all = {} }) => Object.keys(all));
  const column = (name: string) =>
    labels.includes(name) ? `${quoted(labelName(name))} as ${quoted(name)}` : quoted(name);
  const own = medidas.map((name) => `${quoted(earlierName(name))} as ${quoted(name)}`).join();
  return [
    ...(isTotal ? [] : [...new Set(columnsOf(source, question))].map(column)),
    ...medidas.map(quoted),
    ...(earlier ? [`(select row_to_json(e) from (select ${own}) as e) as anterior`] : []),
  ].join();
};

/** The expected rows in order, before `limite`. */
export const expectedRows = async (db: pg.Client, asked: Asked): Promise<Row[]> => {
  const { range, earlier, isTotal } = asked;
  const reading = readingOf(asked, range);
  const keys = keysOf(asked, reading).map(([name]) => name);
  const names = keys.map(quoted).join();
  const labels = dimensionsOfRows(asked).flatMap(({ labels: all = {} }) =>
    Object.entries(all).map(([name, sql]) => `${sql(reading)} as ${quoted(labelName(name))}`),
  );
  const thenRows = earlier ? `then_rows as (${grouped(asked, earlier, true)}),` : "";
  const { rows } = await db.query(`
    with now_rows as (${grouped(asked, range, false)}), ${thenRows}
    matched as (select ${names} from now_rows ${earlier ? `union select ${names} from then_rows` : ""}),
    keys as (select ${names} from matched union ${fillOf(asked, keys)}),
    measured as (
      select keys.*, ${measured(asked, reading)}
      from keys ${joined("now_rows", keys)} ${earlier ? joined("then_rows", keys) : ""}
    ),
    answer as (select ${["answer.*", ...labels].join()} from measured as answer)
    select (select row_to_json(shown) from (select ${shownOf(asked, reading)}) as shown)::text as line
    from answer order by ${isTotal ? "1" : orderOf(asked, keys, reading.medidas)}`);
  return rows.map(({ line }) => JSON.parse(line));
};
