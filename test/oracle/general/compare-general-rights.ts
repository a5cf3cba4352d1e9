import fc from "fast-check";
import { assertProperty } from "../assert.ts";
import { type Comparison, compareFilters, note, type Pick } from "../compare-answer.ts";
import { rangeOffsets } from "../questions.ts";
import { compareGeneral } from "./compare-general.ts";
import { defaultMeasures, generalQuestions, parametersOf } from "./general-question.ts";
import type { PlainSource } from "./plain-source.ts";
import { SOURCES } from "./sources/index.ts";

/** Every parameter of a source with a value to send alone and with all others. */
const parameters = (
  source: PlainSource,
  range: Record<string, string[]>,
  units: Record<string, string[]>,
): Record<string, string[]> => {
  const [first = ""] = defaultMeasures(source);
  return {
    por: ["mes"],
    medidas: [first],
    ordem: [`-${first}`],
    limite: ["2"],
    comparar: ["anterior"],
    ...(source.dates && { data: source.dates.slice(1) }),
    ...(source.hasUnits && units),
    ...Object.fromEntries(Object.entries(source.filters).map(([name, { values }]) => [name, values])),
    ...range,
  };
};

/** Numbers may be written differently: a sum of nothing is 0 or 0.00, by how it was added up. */
const asNumbers: Pick = (body) => JSON.stringify(JSON.parse(body));

const pathOf = (name: string) => `relatorios/${name}`;

/** Compares one parameter at a time, and all of them, with what an unlimited reader of the limited rows gets. */
export const compareGeneralFilters = async (
  comparison: Comparison,
  name: string,
  range: Record<string, string[]>,
  units: Record<string, string[]>,
) =>
  compareFilters(comparison, pathOf(name), parameters(SOURCES[name] as PlainSource, range, units), asNumbers);

/** Compares answers to random questions with plain SQL, because what is masked merges rows. */
export const compareGeneralQuestions = async (comparison: Comparison, name: string): Promise<void> => {
  const { rights, limited, warehouse } = comparison;
  const property = fc.asyncProperty(
    generalQuestions(SOURCES[name] as PlainSource),
    rangeOffsets,
    (question, zones) => {
      const query = parametersOf(question, zones);
      note(comparison, pathOf(name), query);
      return compareGeneral(warehouse.db, { rights, read: limited }, name, question, query);
    },
  );
  await assertProperty(property, comparison.questions * 2, comparison.seed);
};
