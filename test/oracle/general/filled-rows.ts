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

/** The rows of the earlier range, whose periods are those at the same position (R23). */
export const positions = (asked: Asked, keys: string[], measures: string[]): string => {
  const calendar = calendarOf(asked);
  const { range, earlier } = asked;
  if (calendar?.unit === undefined) return "select * from unmoved";
  const unit = calendar.unit;
  const [period = ""] = Object.keys(calendar.keys);
  const numbered = ({ from = 0n, to = 0n }: typeof range) =>
    `generate_series(${periodOf(unit, from)}, ${periodOf(unit, to)}, ${stepOf(unit)}) with ordinality`;
  const columns = [...keys, ...measures, "records"].map((name) =>
    name === period ? `places.period::date as ${quoted(name)}` : quoted(name),
  );
  return `select ${columns.join()} from unmoved join (
      select now_periods.period, then_periods.period as earlier
      from ${numbered(range)} as now_periods (period, place) join ${numbered(earlier ?? {})} as then_periods (period, place) using (place)
    ) as places on ${quoted(period)} = places.earlier::date`;
};
