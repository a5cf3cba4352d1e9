import { Refusal } from "../../core/errors.ts";
import { countDays, type InstantRange, isWholeMonths, movesByDays } from "../../core/periods.ts";
import type { ReadRequest } from "../../db/shape.ts";
import { type AnyRange, anyRange, isScan, namesNotHeld, planOf } from "./planner.ts";
import {
  asksForLinks,
  calendarOf,
  comparesGoals,
  type GeneralQuery,
  isSeries,
  measuresOf,
  type Question,
  quoted,
} from "./question.ts";
import { MAX_PERIODS, MAX_ROWS } from "./rows-sql.ts";

/** What a question that reads rows may read (R22). */
const MAX_DAYS = 400;

const anyRangeText = ({ dimensions, measures, filters }: AnyRange): string =>
  `\`por\` of ${quoted(dimensions)} with \`medidas\` of ${quoted(measures)}` +
  (filters.length > 0 ? ` and filters by ${quoted(filters)}` : "");

interface Ends {
  data_inicio?: string | undefined;
  data_fim?: string | undefined;
}

const rangeOf = ({ data_inicio, data_fim }: Ends): InstantRange | undefined =>
  data_inicio !== undefined && data_fim !== undefined ? { data_inicio, data_fim } : undefined;

/** Whether the range has both ends and at most 400 days. */
export const isBounded = (ends: Ends): boolean => {
  const range = rangeOf(ends);
  return range !== undefined && countDays(range) <= MAX_DAYS;
};

/** @throws Refusal 400 for a question that reads rows of more than 400 days, or without both ends */
export const assertBounded = (question: Question, q: GeneralQuery): void => {
  // As for a reader of some units, so that the limit does not depend on rights.
  if (isBounded(q) || !isScan(planOf(question, true))) return;
  const unit = question.source.unitParameter ? ["estabelecimento_id"] : [];
  const held = anyRange(question.source, question.data)
    .map((one) => anyRangeText({ ...one, filters: [...unit, ...one.filters] }))
    .join("; ");
  throw new Refusal(
    400,
    `This question reads each row of its range, because of ${quoted(namesNotHeld(question))}, ${
      rangeOf(q)
        ? "so `data_inicio` and `data_fim` may be at most 400 days apart. Send a shorter range"
        : "so it needs both ends of a range of at most 400 days. Send `data_inicio` and `data_fim`, or `periodo`"
    }${held === "" ? "." : `, or ask for less. Any range is allowed for ${held}.`}`,
  );
};

const NOT_PERSONAL = "This token may not read personal data.";
const COARSE = ["mes", "trimestre", "ano", "unidade"];

/** Whether the range and the one that it is compared with are whole months. */
const hasWholeMonths = ({ earlier }: ReadRequest, ends: Ends): boolean => {
  const range = rangeOf(ends);
  return range !== undefined && isWholeMonths(range) && !(earlier && movesByDays(earlier.comparison));
};

/** Whether the question could show to this reader which visits are of one client (R24). */
export const mayLinkVisits = (question: Question, request: ReadRequest, ends: Ends): boolean => {
  if (!asksForLinks(question, request.rights)) return false;
  const isCoarse =
    question.dimensions.every((name) => COARSE.includes(name)) && question.filters.length === 0;
  return !hasWholeMonths(request, ends) || !isCoarse;
};

const linksRefusal = (question: Question): Refusal => {
  const linking = measuresOf(question).filter(({ linksVisits }) => linksVisits);
  return new Refusal(
    400,
    `${NOT_PERSONAL} It gets ${quoted(linking.map(({ name }) => name))} only for whole calendar months ` +
      "in Brasília that are over and whose visits have all been fetched. Send `periodo` of such months; `por` of " +
      `${quoted(COARSE)}; no filter except \`estabelecimento_id\`; and \`comparar\` only of \`mes-anterior\` or ` +
      "`ano-anterior`. Or omit these measures.",
  );
};

const goalsRefusal = (question: Question): Refusal => {
  const ofGoals = measuresOf(question).filter(({ isOfGoals }) => isOfGoals);
  return new Refusal(
    400,
    `\`medidas\` must not contain ${quoted(ofGoals.map(({ name }) => name))} with \`comparar\` unless the range is ` +
      "whole calendar months in Brasília that are over and whose sales have all been fetched, and `comparar` is " +
      "`mes-anterior` or `ano-anterior`. Send `periodo` of such months, or omit `comparar` or these measures.",
  );
};

/** The 400 for months that the data has not passed. */
export const unfinished = (question: Question, { rights }: ReadRequest): Refusal =>
  asksForLinks(question, rights) ? linksRefusal(question) : goalsRefusal(question);

/** @throws Refusal 403 or 400 for a question that this reader (R24), or any reader (B1), may not ask */
export const assertMayAsk = (question: Question, request: ReadRequest, q: GeneralQuery): void => {
  const { dimensions, source } = question;
  const personal = dimensions.find((name) => source.dimensions[name]?.isPersonal);
  if (personal !== undefined && !request.rights.personalData)
    throw new Refusal(
      403,
      `${NOT_PERSONAL} Omit \`${personal}\` in \`por\`, or ask the operator for the right.`,
    );
  if (mayLinkVisits(question, request, q)) throw linksRefusal(question);
  if (comparesGoals(question) && !hasWholeMonths(request, q)) throw goalsRefusal(question);
};

const COARSER = { day: "`semana` or `mes`", week: "`mes`", month: "`ano`", quarter: "`ano`", year: "" };

const coarserThan = (question: Question): string[] => {
  const unit = calendarOf(question);
  return [
    ...(unit && COARSER[unit] ? [`${COARSER[unit]} in \`por\``] : []),
    ...(question.dimensions.length > 1 ? ["fewer names in `por`"] : []),
  ];
};

/**
 * The 400 for an answer that would be too long.
 * @param found the first and the last period that matched @param coarser how to ask for longer periods
 */
export const tooLong = (
  question: Question,
  q: Ends,
  found: { first: string | null; last: string | null },
  coarser = coarserThan(question),
): Refusal => {
  const dates = found.first && found.last ? ` Rows matched from ${found.first} to ${found.last}.` : "";
  const what = isSeries(question)
    ? `more than ${MAX_PERIODS.toLocaleString("en")} periods`
    : `more than ${MAX_ROWS.toLocaleString("en")} rows`;
  // A filter leaves the periods of a series.
  const fewer = isSeries(question) ? [] : ["a filter"];
  const shorter =
    q.data_inicio && q.data_fim ? "a shorter range" : "both ends of a shorter range, or `periodo`";
  return new Refusal(
    400,
    `The answer would have ${what}.${dates} Send ` + `${[...coarser, ...fewer, shorter].join(", or ")}.`,
  );
};
