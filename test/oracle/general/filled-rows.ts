import { formatInstant, type Instant } from "../instants.ts";
import type { Asked } from "./asked.ts";
import { TZ } from "./plain-source.ts";
import { dimensionsOfRows, quoted } from "./shape.ts";

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
export const fillOf = (asked: Asked, keys: string[]): string => {
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

/**
 * The day on which a row counts: its own, or in the earlier range the day of the range to which it moves, which is null
 * for a day without a counterpart (R23).
 */
export const countedOn = (asked: Asked, isEarlier: boolean): string => {
  const unit = calendarOf(asked)?.unit;
  if (!isEarlier || unit === undefined) return "day";
  const { from = 0n, to = 0n } = asked.range;
  const [first, last] = [`${periodOf("day", from)}::date`, `${periodOf("day", to)}::date`];
  const { comparar = "" } = asked.question;
  const moved = `(day + ${MOVES[comparar] ?? `(${last} - ${first} + 1) * interval '1 day'`})::date`;
  if (unit !== "day")
    return `case when ${moved} < ${first} then ${first} when ${moved} > ${last} then ${last} else ${moved} end`;
  const isSameDay = /^(mes|ano)/.test(comparar)
    ? `extract(day from ${moved}) = extract(day from day)`
    : "true";
  return `case when ${isSameDay} and ${moved} >= ${first} and ${moved} <= ${last} then ${moved} end`;
};
