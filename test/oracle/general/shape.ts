import { rangeConditions } from "../answers.ts";
import { formatInstant, type Instant } from "../instants.ts";
import type { Asked, Range } from "./asked.ts";
import { dimensionsOf, measuresOf } from "./general-question.ts";
import { inUnits, type PlainDimension, type Reading } from "./plain-source.ts";

export const quoted = (name: string) => `"${name}"`;

/** None for the total. */
export const dimensionsOfRows = ({ source, question, isTotal }: Asked): PlainDimension[] =>
  isTotal ? [] : dimensionsOf(source, question);

const instantSql = (at: Instant | undefined) =>
  at === undefined ? undefined : `timestamptz '${formatInstant(at)}'`;

export const readingOf = ({ source, question, rights }: Asked, { from, to }: Range): Reading => {
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
export const conditionsOf = (asked: Asked, reading: Reading, range: Range): string => {
  const { source, question } = asked;
  const dated = datedConditions(asked, range).join(" and ");
  const filters = Object.entries(question.filters).flatMap(
    ([name, value]) => source.filters[name]?.condition(value, reading) ?? [],
  );
  return [
    reading.medidas.includes("meta") ? `is_exempt or (${dated})` : dated,
    ...(source.hasUnits ? [inUnits(reading.units, "estabelecimento_id")] : []),
    ...filters,
  ]
    .map((condition) => `(${condition})`)
    .join(" and ");
};
