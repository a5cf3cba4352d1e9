import { kindOf } from "../../db/kinds.ts";
import {
  columnsOf,
  dimensionsOf,
  type Question,
  type QuestionParameters,
  questionOf,
  quoted,
  VARIATION,
} from "./question.ts";
import type { Source } from "./source.ts";

type Parameters = QuestionParameters & Record<string, unknown>;

interface Rule {
  name: string;
  /** Lists of names that it reads. It applies only if they are valid. */
  lists: ("por" | "medidas" | "ordem")[];
  /** What is wrong; undefined if nothing is. Other values of the query may be invalid. */
  error: (source: Source, q: Parameters) => string | undefined;
}

const questionBy = (source: Source, q: Parameters): Question => {
  const sent = Object.keys(q).filter((name) => q[name] !== undefined);
  return questionOf(source, q, sent, q.comparar !== undefined);
};

const orderError: Rule["error"] = (source, q) => {
  const question = questionBy(source, q);
  const { order } = question;
  if (order === undefined) return undefined;
  const columns = [...Object.keys(columnsOf(dimensionsOf(question))), ...question.measures];
  if (order.column !== VARIATION)
    return columns.includes(order.column)
      ? undefined
      : `must be a column of the answer: ${quoted(columns)}. Send one of these, or add the dimension or ` +
          "measure of that column to `por` or `medidas`";
  if (q.comparar === undefined)
    return "must not be `variacao` without `comparar`. Send `comparar`, or another `ordem`";
  const [first = ""] = question.measures;
  const field = source.measures[first]?.field;
  return field && kindOf(field) !== "number"
    ? `must not be \`variacao\` if the first measure is a date, as \`${first}\` is. Send another \`ordem\``
    : undefined;
};

/** Combinations of parameters that are errors (R21). */
const RULES: Rule[] = [
  {
    name: "por",
    lists: ["por"],
    error: ({ dimensions }, { por = [] }) => {
      const calendar = por.filter((name) => dimensions[name]?.calendar);
      return calendar.length > 1
        ? `must have at most one period; got ${quoted(calendar)}. Send one of them`
        : undefined;
    },
  },
  {
    name: "medidas",
    lists: ["por", "medidas"],
    error: (source, q) => {
      const question = questionBy(source, q);
      const errors = question.measures.map((name) => source.measures[name]?.error?.(question));
      return errors.find((error) => error !== undefined);
    },
  },
  { name: "ordem", lists: ["por", "medidas", "ordem"], error: orderError },
  {
    name: "hora_min",
    lists: [],
    error: (_source, { hora_min, hora_max }) =>
      typeof hora_min === "number" && typeof hora_max === "number" && hora_min > hora_max
        ? "must not be greater than `hora_max`. Send a lower `hora_min`"
        : undefined,
  },
];

/** A filter of clients needs a row for each client. */
const filterRules = ({ filters }: Source): Rule[] =>
  Object.entries(filters).flatMap(([name, { needs }]) =>
    needs === undefined
      ? []
      : [
          {
            name,
            lists: ["por" as const],
            error: (_source: Source, q: Parameters) =>
              q[name] !== undefined && !q.por?.includes(needs)
                ? `must not be given without \`${needs}\` in \`por\`. Add \`${needs}\` to \`por\`, or omit \`${name}\``
                : undefined,
          },
        ],
  );

interface Issue {
  path?: PropertyKey[] | undefined;
}

/** The errors of a query's combinations of parameters, each with the parameter's name and whether it applies. */
export const rulesOf = (source: Source) =>
  [...RULES, ...filterRules(source)].map(({ name, lists, error }) => ({
    name,
    /** @param issues what is wrong with values */
    applies: (issues: Issue[]): boolean =>
      !issues.some(({ path }) => lists.some((list) => list === path?.[0])),
    error: (q: object) => error(source, q as Parameters),
  }));
