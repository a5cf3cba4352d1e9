import { dimensionsOf, filtersOf, measuresOf, type Question } from "./question.ts";
import type { Plan, Reading, Source } from "./source.ts";

/** It is not compared with plans: every reading can give it. */
const CALENDAR_FACT = "starts_on";

/** The facts that a question needs. @param isByUnit whether the unit must be known, also without the dimension */
export const factsOf = (question: Question, isByUnit: boolean): string[] => {
  const all = [...dimensionsOf(question), ...measuresOf(question), ...filtersOf(question)];
  const facts = new Set(all.flatMap((one) => one.facts));
  if (isByUnit && question.source.unitParameter) facts.add("estabelecimento_id");
  facts.delete(CALENDAR_FACT);
  return [...facts];
};

const has = (reading: Reading, facts: string[]) => facts.every((fact) => fact in reading.facts);

/** Whether the plan reads rows of the range, which costs more for a longer range. */
export const isScan = (plan: Plan): boolean => plan.some((reading) => "from" in reading);

const plansOf = (source: Source, data: string): Plan[] => source.dates[data]?.plans ?? [];

/** The smallest plan that has all facts of the question: rollups, else the rows of the range (R22). */
export const planOf = (question: Question, isByUnit: boolean): Plan => {
  const facts = factsOf(question, isByUnit);
  const plan = plansOf(question.source, question.data)
    .map((one) => one.filter((reading) => !("onlyFor" in reading) || facts.includes(reading.onlyFor)))
    .find((one) => one.every((reading) => has(reading, facts)));
  if (plan === undefined) throw new Error(`no plan of ${question.source.name} has ${facts.join(", ")}`);
  return plan;
};

/** What a question may ask for over any range: the names that the facts of one plan suffice for. */
export interface AnyRange {
  dimensions: string[];
  measures: string[];
  filters: string[];
}

const namesWithin = (declared: Record<string, { facts: string[] }>, plan: Plan): string[] =>
  Object.entries(declared).flatMap(([name, { facts }]) =>
    plan.every(
      (reading) =>
        "onlyFor" in reading ||
        has(
          reading,
          facts.filter((fact) => fact !== CALENDAR_FACT),
        ),
    )
      ? [name]
      : [],
  );

/** The names of a question that reads rows which its nearest plan of rollups does not hold. */
export const namesNotHeld = ({ source, data, dimensions, measures, filters }: Question): string[] => {
  const asked = [...dimensions, ...measures, ...filters];
  const plans = plansOf(source, data).filter((plan) => !isScan(plan));
  const missing = plans.map((plan) => {
    const held = [source.dimensions, source.measures, source.filters].flatMap((all) =>
      namesWithin(all, plan),
    );
    return asked.filter((name) => !held.includes(name));
  });
  return missing.sort((a, b) => a.length - b.length)[0] ?? asked;
};

const isWithin = (one: AnyRange, other: AnyRange): boolean =>
  (["dimensions", "measures", "filters"] as const).every((kind) =>
    one[kind].every((name) => other[kind].includes(name)),
  );

/** The names that each plan of rollups answers, for messages and docs. Omits a plan that a later one includes. */
export const anyRange = (source: Source, data: string): AnyRange[] => {
  const held = plansOf(source, data)
    .filter((plan) => !isScan(plan))
    .map((plan) => {
      const dimensions = namesWithin(source.dimensions, plan);
      const isUsable = (filter: string) => {
        const needs = source.filters[filter]?.needs;
        return needs === undefined || dimensions.includes(needs);
      };
      return {
        dimensions,
        measures: namesWithin(source.measures, plan),
        filters: namesWithin(source.filters, plan).filter(isUsable),
      };
    });
  return held.filter((one, n) => !held.some((other, m) => m > n && isWithin(one, other)));
};
