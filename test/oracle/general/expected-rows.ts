import type pg from "pg";
import type { Asked, Range, Row } from "./asked.ts";
import { countedOn, fillOf } from "./filled-rows.ts";
import { columnsOf } from "./general-question.ts";
import { type Reading, TZ } from "./plain-source.ts";
import { conditionsOf, dimensionsOfRows, quoted, readingOf } from "./shape.ts";

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

/** The condition of `visitas_min`: the row of the answer has so many visits in the range (R21). */
const remaining = (asked: Asked, found: string): string => {
  const { visitas_min } = asked.question.filters;
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
  const measures = reading.medidas.map((name) => `${source.measures[name]?.sql} as ${quoted(name)}`);
  const local = source.isDate(question.data)
    ? ""
    : `, at at time zone ${TZ} as local, (at at time zone ${TZ})::date as day`;
  // The rows that `visitas_min` leaves are those of moved days, also for the total.
  const counted = {
    ...asked,
    isTotal: (asked.isTotal ?? false) && question.filters.visitas_min === undefined,
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
  const temporal = dimensionsOfRows(asked).find(({ unit, isCycle }) => unit || isCycle);
  const chosen = asked.question.ordem ?? (temporal ? Object.keys(temporal.keys)[0] : `-${first}`) ?? "";
  const name = chosen.replace(/^-/, "");
  const isLabel = dimensionsOfRows(asked).some(({ labels = {} }) => name in labels);
  const shown = quoted(isLabel ? labelName(name) : name);
  const value = name === "variacao" ? `${quoted(first)} - ${quoted(earlierName(first))}` : shown;
  const direction = chosen.startsWith("-") ? "desc" : "asc";
  return [`${value} ${direction}`, ...keys.map(quoted)].map((one) => `${one} nulls last`).join();
};

const joined = (side: string, keys: string[]) =>
  `left join ${side} on ${keys.map((key) => `${side}.${quoted(key)} is not distinct from keys.${quoted(key)}`).join(" and ")}`;

/** The measures of both ranges. Without rows, a number is 0 and anything else is null. */
const measured = ({ source, earlier }: Asked, { medidas }: Reading): string => {
  const value = (side: string, name: string, alias: string) => {
    const found = `${side}.${quoted(name)}`;
    return `${source.measures[name]?.empty === "0" ? `coalesce(${found}, 0)` : found} as ${quoted(alias)}`;
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
