import { generalFilters } from "../../src/api/v1/relatorios/general-schemas.ts";
import { quoted } from "../../src/api/v1/relatorios/question.ts";
import type { Source } from "../../src/api/v1/relatorios/source.ts";
import { SOURCES } from "../../src/api/v1/relatorios/sources/index.ts";
import type { Refusal } from "../../src/core/errors.ts";
import { metadataOf } from "../../src/core/schema-metadata.ts";
import { kindOf } from "../../src/platform/db/kinds.ts";
import { requireEncodedUtf8 } from "../../src/platform/http/encoding.ts";
import { sentenceOf } from "../../src/platform/http/params.ts";
import { unknownNameErrors } from "../../src/platform/http/prefer.ts";

/** A question that the watch can ask. */
interface AlertQuestion {
  path: string;
  /** The figure is `totais` of this name. */
  measure: string;
}

const EXAMPLE = "such as `pagamentos?medidas=valor_vencido`";
const UNIT = "estabelecimento_id";

const numericMeasures = ({ measures }: Source): string[] =>
  Object.keys(measures).filter((name) => measures[name] && kindOf(measures[name].field) === "number");

/** Why a rule may not have a parameter that the report has; undefined if it may. */
const whyRefused = ({ filters }: Source, name: string): string | undefined => {
  if (["por", "ordem", "limite", "comparar", "formato", "explicar"].includes(name))
    return "because a rule compares one figure of `totais`";
  const { parameter, needsDimension } = filters[name] ?? {};
  if (needsDimension !== undefined)
    return `because it needs \`${needsDimension}\` in \`por\`, which a rule may not have`;
  return metadataOf(parameter).isPersonal ? "because an alert is about no single person" : undefined;
};

const nameErrors = (source: Source, names: string[], known: string[]): string[] => {
  const allowed = known.filter((name) => whyRefused(source, name) === undefined);
  const refused = names.flatMap((name) => {
    const why = whyRefused(source, name);
    return why === undefined ? [] : [`\`${name}\` must not be given, ${why}. Omit it.`];
  });
  const unknown = names.filter((name) => !known.includes(name) && whyRefused(source, name) === undefined);
  return [
    ...refused,
    ...unknownNameErrors(unknown, allowed, [`a parameter of a rule about \`${source.name}\``, "parameters"]),
  ];
};

/** An invalid name is an error of the report's schema. */
const measureErrors = (source: Source, given: string[]): string[] => {
  const possible = numericMeasures(source);
  const [measure] = given;
  const isOneName = measure !== undefined && !measure.includes(",");
  return isOneName && (possible.includes(measure) || source.measures[measure] === undefined)
    ? []
    : [`\`medidas\` must be exactly one measure that is a number: ${quoted(possible)}. Send one of them.`];
};

const queryErrors = (source: Source, query: URLSearchParams): string[] => {
  const schema = generalFilters(source);
  const names = [...new Set(query.keys())];
  const values = names.map((name) => [name, query.getAll(name)] as const);
  const parsed = schema.safeParse(
    Object.fromEntries(values.map(([name, all]) => [name, all.length > 1 ? all : all[0]])),
  );
  const errors = nameErrors(source, names, Object.keys(schema.shape));
  const measures = measureErrors(source, query.getAll("medidas"));
  const isReported = (name: unknown) =>
    (name === "medidas" && measures.length > 0) || whyRefused(source, String(name)) !== undefined;
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !isReported(path[0]));
  return [...errors, ...measures, ...issues.map(sentenceOf)];
};

const encodingErrors = (query: string): string[] => {
  if (/[\s#\p{Cc}]/u.test(query))
    return ["The query must be encoded as in a URL: write a space as `+`, and `#` as `%23`."];
  try {
    requireEncodedUtf8(`http://localhost/?${query}`);
    return [];
  } catch (error) {
    return [(error as Refusal).message];
  }
};

/** What is wrong with the `unit` of a rule. */
const unitErrors = (source: Source, query: URLSearchParams, unit: string | undefined): string[] => {
  if (unit === undefined) return [];
  if (source.unitParameter === undefined)
    return [`\`unit\` must not be given, because \`${source.name}\` has no units. Omit it.`];
  if (query.has(UNIT)) return [`\`unit\` must not be given together with \`${UNIT}\`. Omit one of them.`];
  const issues = source.unitParameter.safeParse(unit).error?.issues ?? [];
  return issues.map(({ message }) => `\`unit\` ${message}.`);
};

/**
 * Checks the question of a rule as its report would. Whether a unit or another value exists is known to the database
 * only.
 * @param question `<report>?<query>` @returns the question, or every error, one or more sentences each
 */
export const readQuestion = (question: string, unit: string | undefined): AlertQuestion | string[] => {
  const [, name = "", query = ""] = /^([^?]*)\?([\s\S]*)$/.exec(question) ?? [];
  const source: Source | undefined = SOURCES.find((one) => one.name === name);
  if (!source) {
    const reports = quoted(SOURCES.map((one) => one.name));
    return [
      `\`question\` must be a general report, \`?\` and its query, ${EXAMPLE}. The reports are ${reports}.`,
    ];
  }
  const parameters = new URLSearchParams(query);
  const encoding = encodingErrors(query);
  const errors = [
    ...(encoding.length > 0 ? encoding : queryErrors(source, parameters)).map(
      (error) => `\`question\`: ${error}`,
    ),
    ...unitErrors(source, parameters, unit),
  ];
  if (errors.length > 0) return errors;
  const ofUnit = unit === undefined ? "" : `&${new URLSearchParams({ [UNIT]: unit })}`;
  return {
    path: `/v1/relatorios/${source.name}?${query}${ofUnit}`,
    measure: parameters.get("medidas") as string,
  };
};
