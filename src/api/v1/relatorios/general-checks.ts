import { Refusal } from "../../../core/errors.ts";
import { isWholeMonths, movesByDays } from "../../../core/periods.ts";
import { kindOf } from "../../../platform/db/kinds.ts";
import type { ReadRequest } from "../../../platform/db/read-request.ts";
import {
  asksForLinks,
  calendarOf,
  comparesGoals,
  dimensionColumns,
  dimensionsOf,
  isSeries,
  measuresOf,
  type Question,
  type QuestionParameters,
  questionOf,
  quoted,
  VARIATION,
} from "./question.ts";
import { MAX_PERIODS, MAX_ROWS } from "./rows-sql.ts";
import type { Source } from "./source.ts";

interface Ends {
  data_inicio?: string | undefined;
  data_fim?: string | undefined;
}

/** A combination of parameters that no reader may ask for (R21). */
interface Combination {
  parameter: string;
  /** The parameters whose values it reads. It is looked for only if they are valid; others may not be. */
  reads: string[];
  /** Completes the name of the parameter; undefined if nothing is wrong. */
  error: (question: Question, q: Record<string, unknown>) => string | undefined;
}

const orderError: Combination["error"] = (question) => {
  const { order, isCompared } = question;
  const [first] = measuresOf(question);
  const columns = [...Object.keys(dimensionColumns(dimensionsOf(question))), ...question.measures];
  if (order === undefined || columns.includes(order.column)) return undefined;
  if (order.column !== VARIATION)
    return (
      `must be a column of the answer: ${quoted(columns)}. Send one of these, or add the dimension or ` +
      "measure of that column to `por` or `medidas`"
    );
  if (!isCompared) return "must not be `variacao` without `comparar`. Send `comparar`, or another `ordem`";
  return first && kindOf(first.field) !== "number"
    ? `must not be \`variacao\` if the first measure is a date, as \`${first.name}\` is. Send another \`ordem\``
    : undefined;
};

const atMost = (parameter: string, greatest: string): Combination => ({
  parameter,
  reads: [parameter, greatest],
  error: (_question, q) =>
    Number(q[parameter]) > Number(q[greatest])
      ? `must not be greater than \`${greatest}\`. Send a lower \`${parameter}\``
      : undefined,
});

const COMBINATIONS: Combination[] = [
  {
    parameter: "por",
    reads: ["por"],
    error: ({ source, dimensions }) => {
      const periods = dimensions.filter((name) => source.dimensions[name]?.calendar);
      return periods.length > 1
        ? `must have at most one period; got ${quoted(periods)}. Send one of them`
        : undefined;
    },
  },
  {
    parameter: "medidas",
    reads: ["por", "medidas"],
    error: (question) => measuresOf(question).flatMap(({ error }) => error?.(question) ?? [])[0],
  },
  { parameter: "ordem", reads: ["por", "medidas", "ordem"], error: orderError },
  atMost("hora_min", "hora_max"),
  atMost("visitas_min", "visitas_max"),
];

const RANGE_NAMES = ["periodo", "data_inicio", "data_fim"];

/** What a filter needs: a row for each client, measures that depend on it, or a range. */
const filterCombinations = ({ filters }: Source): Combination[] =>
  Object.entries(filters).map(([parameter, { needsDimension, needsMeasures, needsRange }]) => ({
    parameter,
    reads: [...(needsDimension ? ["por"] : []), ...(needsMeasures ? ["medidas"] : [])],
    error: ({ dimensions, measures, filters: sent }: Question, q) => {
      if (!sent.includes(parameter)) return undefined;
      if (needsDimension !== undefined && !dimensions.includes(needsDimension))
        return (
          `must not be given without \`${needsDimension}\` in \`por\`. Add \`${needsDimension}\` to \`por\`, or omit ` +
          `\`${parameter}\``
        );
      if (needsMeasures && !needsMeasures.some((name) => measures.includes(name)))
        return (
          `must not be given without one of ${quoted(needsMeasures)} in \`medidas\`. Add one, or omit ` +
          `\`${parameter}\``
        );
      return needsRange && RANGE_NAMES.every((name) => q[name] === undefined)
        ? `must not be given without a range. Send \`periodo\`, or omit \`${parameter}\``
        : undefined;
    },
  }));

interface Issue {
  path: PropertyKey[];
  message: string;
}

/** What is wrong with the combinations of a query's parameters. @param issues what is wrong with values */
export const combinationErrors = (
  source: Source,
  q: QuestionParameters,
  issues: { path?: PropertyKey[] | undefined }[],
): Issue[] => {
  const isValid = (name: string) => !issues.some(({ path }) => path?.[0] === name);
  const lists = Object.fromEntries(["por", "medidas", "ordem"].map((name) => [name, isValid(name)]));
  const question = questionOf(
    source,
    Object.fromEntries(Object.entries(q).filter(([name]) => lists[name] !== false)),
    q.comparar !== undefined,
  );
  return [...COMBINATIONS, ...filterCombinations(source)].flatMap(({ parameter, reads, error }) => {
    const message = reads.every(isValid) ? error(question, { ...q }) : undefined;
    return message === undefined ? [] : [{ path: [parameter], message }];
  });
};

const NOT_PERSONAL = "This token may not read personal data.";

const COARSE = ["mes", "trimestre", "ano", "unidade"];

/** Whether the range and the one that it is compared with are whole months. */
const hasWholeMonths = ({ earlier }: ReadRequest, { data_inicio, data_fim }: Ends): boolean =>
  data_inicio !== undefined &&
  data_fim !== undefined &&
  isWholeMonths({ data_inicio, data_fim }) &&
  !(earlier && movesByDays(earlier.comparison)); // mistake: compares-by-days

/** Whether the question could show to this reader which visits are of one client (R24). */
export const mayLinkVisits = (question: Question, request: ReadRequest, ends: Ends): boolean => {
  if (!asksForLinks(question, request.rights)) return false;
  const isCoarse =
    // mistake: counts-clients-of-a-day
    question.dimensions.every((name) => COARSE.includes(name)) && question.filters.length === 0;
  return !hasWholeMonths(request, ends) || !isCoarse;
};

const linksRefusal = (question: Question): Refusal => {
  const linking = measuresOf(question).filter(({ linksVisits }) => linksVisits);
  const ahead = linking.filter(({ daysAhead }) => daysAhead !== undefined);
  const andAhead =
    ahead.length > 0
      ? `, ${quoted(ahead.map(({ name }) => name))} also those of the ${ahead[0]?.daysAhead} days after`
      : "";
  return new Refusal(
    400,
    `${NOT_PERSONAL} It gets ${quoted(linking.map(({ name }) => name))} only for whole calendar months ` +
      `in Brasília that are over and whose visits have all been fetched${andAhead}. ` +
      `Send \`periodo\` of such months; \`por\` of ${quoted(COARSE)}; no filter except ` +
      "`estabelecimento_id`, and no `retorno_dias`; and `comparar` only of `mes-anterior` or " +
      "`ano-anterior`. Or omit these measures.",
  );
};

const notOverRefusal = () =>
  new Refusal(
    400,
    "`comparar` must not be given unless the range is over and all its visits have been fetched: bills of days to " +
      "come have no revenue yet. Send `periodo` of such days, or omit `comparar`.",
  );

const goalsRefusal = (question: Question): Refusal => {
  const ofGoals = measuresOf(question).filter(({ isOfGoals }) => isOfGoals);
  return new Refusal(
    400,
    `\`medidas\` must not contain ${quoted(ofGoals.map(({ name }) => name))} with \`comparar\` unless the range is ` +
      "whole calendar months in Brasília that are over and whose sales have all been fetched, and `comparar` is " +
      "`mes-anterior` or `ano-anterior`. Send `periodo` of such months, or omit `comparar` or these measures.",
  );
};

/** The 400 for a range that the data has not passed. */
export const unfinished = (question: Question, { rights }: ReadRequest): Refusal => {
  if (asksForLinks(question, rights)) return linksRefusal(question);
  return comparesGoals(question) ? goalsRefusal(question) : notOverRefusal();
};

/** What this reader (R24), or any reader with these rows (B1), may not ask. @throws Refusal 403 or 400 */
export const assertMayAsk = (question: Question, request: ReadRequest, q: Ends): void => {
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
  const calendar = calendarOf(question);
  return [
    ...(calendar && COARSER[calendar] ? [`${COARSER[calendar]} in \`por\``] : []),
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
