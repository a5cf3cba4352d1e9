import { Refusal } from "../../core/errors.ts";
import { isWholeMonths, movesByDays } from "../../core/periods.ts";
import type { ReadRequest } from "../../db/shape.ts";
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

interface Ends {
  data_inicio?: string | undefined;
  data_fim?: string | undefined;
}

const NOT_PERSONAL = "This token may not read personal data.";
const COARSE = ["mes", "trimestre", "ano", "unidade"];

/** Whether the range and the one that it is compared with are whole months. */
const hasWholeMonths = ({ earlier }: ReadRequest, { data_inicio, data_fim }: Ends): boolean =>
  data_inicio !== undefined &&
  data_fim !== undefined &&
  isWholeMonths({ data_inicio, data_fim }) &&
  !(earlier && movesByDays(earlier.comparison));

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
