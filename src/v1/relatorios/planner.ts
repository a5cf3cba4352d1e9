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

const plansOf = (source: Source, data: string): Plan[] => source.dates[data]?.plans ?? [];

/** The smallest plan that has all facts of the question: rollups, else the facts of the range. */
export const planOf = (question: Question, isByUnit: boolean): Plan => {
  const facts = factsOf(question, isByUnit);
  const plan = plansOf(question.source, question.data)
    .map((one) => one.filter((reading) => !("onlyFor" in reading) || facts.includes(reading.onlyFor)))
    .find((one) => one.every((reading) => has(reading, facts)));
  if (plan === undefined) throw new Error(`no plan of ${question.source.name} has ${facts.join(", ")}`);
  return plan;
};
