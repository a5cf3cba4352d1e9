import type { z } from "@hono/zod-openapi";
import type { Comparison } from "../../../core/periods.ts";
import type { Rights } from "../../../core/rights.ts";
import type { CalendarGrain, Declarations, Dimension, Measure, Part } from "./source.ts";

/** A request to a general report. All lists are in the order of the source's declarations (R20). */
export interface Question {
  source: Declarations;
  /** The name of one of the source's dates. */
  dateName: string;
  dimensions: string[];
  measures: string[];
  /** The filters that were sent, without the unit. */
  filters: string[];
  order: { column: string; isDescending: boolean } | undefined;
  isCompared: boolean;
}

/** The parameters of a general report that are not filters. */
export type QuestionParameters = {
  por?: string[] | undefined;
  medidas?: string[] | undefined;
  /** One name. */
  ordem?: string[] | undefined;
  data?: unknown;
  comparar?: Comparison | undefined;
};

/** The parameters of a general report, with its range resolved. */
export type GeneralQuery = QuestionParameters & {
  data_inicio?: string | undefined;
  data_fim?: string | undefined;
  limite?: number | undefined;
  explicar?: string | undefined;
};

export const VARIATION = "variacao";

const inOrder = (declared: object, names: string[]) =>
  Object.keys(declared).filter((name) => names.includes(name));

export const defaultMeasures = ({ measures }: Declarations): string[] =>
  Object.entries(measures).flatMap(([name, { isDefault }]) => (isDefault ? [name] : []));

const orderOf = (text: string | undefined): Question["order"] =>
  text === undefined ? undefined : { column: text.replace(/^-/, ""), isDescending: text.startsWith("-") };

/** @param q the parameters, filters included */
export const questionOf = (
  source: Declarations,
  q: QuestionParameters & Record<string, unknown>,
  isCompared = false,
): Question => ({
  source,
  dateName: typeof q.data === "string" ? q.data : (Object.keys(source.dates)[0] as string),
  dimensions: inOrder(source.dimensions, q.por ?? []),
  measures: inOrder(source.measures, q.medidas ?? defaultMeasures(source)),
  filters: Object.keys(source.filters).filter((name) => q[name] !== undefined),
  order: orderOf(q.ordem?.[0]),
  isCompared,
});

export const partsOf = ({ source, dateName }: Question): Part[] => source.dates[dateName] ?? [];

export const dimensionsOf = ({ source, dimensions }: Pick<Question, "source" | "dimensions">) =>
  dimensions.flatMap((name) => source.dimensions[name] ?? []);

export const measuresOf = ({ source, measures }: Pick<Question, "source" | "measures">) =>
  measures.flatMap((name) => {
    const measure = source.measures[name];
    return measure ? [{ name, ...measure }] : [];
  });

export const filtersOf = ({ source, filters }: Question) =>
  filters.flatMap((name) => {
    const filter = source.filters[name];
    return filter ? [{ name, ...filter }] : [];
  });

/** Whether a measure could show to this reader which visits are of one client (R24). */
export const asksForLinks = (question: Question, { personalData }: Pick<Rights, "personalData">): boolean =>
  !personalData && measuresOf(question).some(({ linksVisits }) => linksVisits);

/** Whether the question compares what depends on goals (B1). */
export const comparesGoals = (question: Question): boolean =>
  question.isCompared && measuresOf(question).some(({ isOfGoals }) => isOfGoals);

/** Whether the question compares what is compared only once it is over (R27). */
export const comparesWhenOver = ({ source, isCompared }: Question): boolean =>
  isCompared && source.isComparedWhenOver === true;

/** The names of the columns that identify a row. */
export const keyNames = (question: Question): string[] =>
  dimensionsOf(question).flatMap(({ keys }) => Object.keys(keys));

/** The schemas of the columns before the measures: each dimension's keys, then its labels. */
export const dimensionColumns = (dimensions: Dimension[]): Record<string, z.ZodType> =>
  Object.fromEntries(
    dimensions.flatMap(({ keys, labels = {} }) =>
      [...Object.entries(keys), ...Object.entries(labels)].map(([name, { field }]) => [name, field]),
    ),
  );

/** The schema of a measure in the document. */
export const documentedField = ({ field, description, example }: Measure): z.ZodType =>
  field.openapi({ description, ...(example !== undefined && { example }) });

export const quoted = (names: string[]): string => names.map((name) => `\`${name}\``).join(", ");

export const calendarOf = (question: Question): CalendarGrain | undefined =>
  dimensionsOf(question).find(({ calendar }) => calendar)?.calendar;

/** Whether the answer is a series: it has a row for each period (R22). */
export const isSeries = (question: Question): boolean =>
  question.dimensions.length === 1 && calendarOf(question) !== undefined;

/** Whether each weekday and hour has a row, for each unit that has one (R22). */
export const isFullCycle = (question: Question): boolean =>
  dimensionsOf(question).some(({ isCycle }) => isCycle) &&
  question.dimensions.every((name) => name === "unidade" || question.source.dimensions[name]?.isCycle);
