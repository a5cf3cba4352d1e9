import fc from "fast-check";
import { COMPARISONS, type Comparison } from "../../../src/core/periods.ts";
import { formatInstant, type Instant } from "../instants.ts";
import { DAY, type Question, rangeEnds, shortRange, UNITS, wholeMonths } from "../questions.ts";
import { NAMED_PERIODS } from "./named-periods.ts";
import type { PlainSource } from "./plain-source.ts";

/** A question to a general report: its parameters (R21). */
export interface GeneralQuestion {
  por: string[];
  /** Undefined for those that are the default. */
  medidas?: string[] | undefined;
  ordem?: string | undefined;
  limite?: number | undefined;
  data?: string | undefined;
  /** With `estabelecimento_id`. */
  filters: Record<string, string>;
  periodo?: string | undefined;
  from?: Instant | undefined;
  to?: Instant | undefined;
  comparar?: Comparison | undefined;
  isCsv: boolean;
}

export const defaultMeasures = ({ measures }: PlainSource) =>
  Object.keys(measures).filter((name) => !measures[name]?.isExtra);

const inOrder = (declared: object, names: string[]) =>
  Object.keys(declared).filter((name) => names.includes(name));

/** The measures of the answer, in its order. */
export const measuresOf = (source: PlainSource, { medidas }: GeneralQuestion) =>
  inOrder(source.measures, medidas ?? defaultMeasures(source));

/** The dimensions of the answer, in its order. */
export const dimensionsOf = (source: PlainSource, { por }: GeneralQuestion) =>
  inOrder(source.dimensions, por).flatMap((name) => source.dimensions[name] ?? []);

/** The columns of the answer before the measures. */
export const columnsOf = (source: PlainSource, question: GeneralQuestion) =>
  dimensionsOf(source, question).flatMap(({ keys, labels = {} }) => [
    ...Object.keys(keys),
    ...Object.keys(labels),
  ]);

/** At most four dimensions, of which one is of the calendar; often a series or a cycle, which have no gaps. */
const dimensions = ({ dimensions: all, hasUnits }: PlainSource): fc.Arbitrary<string[]> => {
  const names = Object.keys(all);
  const calendar = names.filter((name) => all[name]?.unit);
  const cycles = names.filter((name) => all[name]?.isCycle);
  const mixed = fc.shuffledSubarray(names, { maxLength: Math.min(6, names.length) }).map((some) => {
    const [first] = some.filter((name) => calendar.includes(name));
    return some.filter((name) => !calendar.includes(name) || name === first).slice(0, 4);
  });
  return fc.oneof(
    { weight: 5, arbitrary: mixed },
    ...(calendar.length > 0
      ? [{ weight: 2, arbitrary: fc.constantFrom(...calendar).map((name) => [name]) }]
      : []),
    ...(cycles.length > 0
      ? [
          {
            weight: 2,
            arbitrary: fc.subarray([...cycles, ...(hasUnits ? ["unidade"] : [])], { minLength: 1 }),
          },
        ]
      : []),
  );
};

const measures = ({ measures: all }: PlainSource) =>
  fc.option(
    fc.shuffledSubarray(Object.keys(all), { minLength: 1 }).map((names) => names.slice(0, 5)),
    { nil: undefined, freq: 2 },
  );

/** Each filter is rare, so that most questions match rows. */
const filters = ({ filters: all, hasUnits }: PlainSource): fc.Arbitrary<Record<string, string>> => {
  const values: [string, string[]][] = Object.entries(all).map(([name, filter]) => [name, filter.values]);
  if (hasUnits) values.push(["estabelecimento_id", UNITS]);
  const chosen = values.map(([name, some]) =>
    fc
      .tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(...some))
      .map(([n, value]) => (n === 0 ? { [name]: value } : {})),
  );
  return fc.tuple(...chosen).map((parts) => Object.assign({}, ...parts));
};

/** From the last day of March 2025, a Monday: days of the month before move to the week before the range (R23). */
const fromMonthEnd: fc.Arbitrary<Partial<GeneralQuestion>> = fc.constantFrom(6n, 20n, 40n).map((days) => {
  const from = BigInt(Date.parse("2025-03-31T03:00:00Z")) * 1000n;
  return { por: ["semana"], from, to: from + days * DAY, comparar: "mes-anterior" };
});

/** February 2025 by day: January has days without a counterpart (R23). A source has some of these dimensions. */
const ofShorterMonth: Partial<GeneralQuestion> = {
  por: ["dia", "unidade", "conta"],
  from: BigInt(Date.parse("2025-02-01T03:00:00Z")) * 1000n,
  to: BigInt(Date.parse("2025-03-01T03:00:00Z")) * 1000n - 1n,
  comparar: "mes-anterior",
};

/** The ends of a range: of few days, about a year, and any others. */
const ends: fc.Arbitrary<Partial<GeneralQuestion>> = fc.oneof(
  {
    weight: 5,
    arbitrary: shortRange(fc.constantFrom(0n, 1n, 7n, 30n, 365n, 365n, 398n, 399n, 400n)),
  },
  {
    weight: 1,
    arbitrary: shortRange(fc.constantFrom(1098n, 1099n, 1100n)),
  },
  { weight: 2, arbitrary: fc.constantFrom(...NAMED_PERIODS).map((periodo) => ({ periodo })) },
  { weight: 3, arbitrary: rangeEnds },
  { weight: 2, arbitrary: wholeMonths },
  { weight: 1, arbitrary: fromMonthEnd },
  { weight: 1, arbitrary: fc.constant(ofShorterMonth) },
);

const isRanged = ({ periodo, from, to }: Partial<GeneralQuestion>) =>
  periodo !== undefined || (from !== undefined && to !== undefined);

/** Combinations that would be refused, changed so that most are answered: what a filter or measure needs. */
const repaired = (
  source: PlainSource,
  question: GeneralQuestion,
  months: Partial<GeneralQuestion>,
): GeneralQuestion => {
  const { por, medidas = [], filters: chosen, limite, comparar } = question;
  const overMonths = limite === undefined && { ...months, periodo: undefined };
  const { estabelecimento_id: unit } = chosen;
  const onlyUnit: Record<string, string> = unit === undefined ? {} : { estabelecimento_id: unit };
  if (Object.keys(chosen).some((name) => source.filters[name]?.needsClient) && !por.includes("cliente"))
    return { ...question, por: ["cliente", ...por].slice(0, 4) };
  const looksAhead = (name: string) => source.measures[name]?.looksAhead === true;
  if (chosen.retorno_dias !== undefined && !medidas.some(looksAhead))
    return { ...question, medidas: [...medidas, "retorno"].slice(-5) };
  if (medidas.some((name) => source.measures[name]?.isOfGoals)) {
    const by = por.filter((name) => ["mes", "ano", "unidade"].includes(name));
    const isByMonth = by.some((name) => name !== "unidade");
    // Goals are compared over whole months only.
    const compared = comparar !== undefined && overMonths;
    return { ...question, ...compared, por: isByMonth ? by : [...by, "mes"], filters: onlyUnit };
  }
  if (medidas.some((name) => source.measures[name]?.linksVisits)) {
    const by = por.filter((name) => ["mes", "trimestre", "ano", "unidade"].includes(name));
    // A reader without personal data gets these of whole months only.
    // CSV keeps the other dimensions, by which that reader gets nothing.
    return { ...question, ...overMonths, por: question.isCsv ? por : by, filters: onlyUnit };
  }
  return question;
};

/** Random questions to a source. Some must be refused. */
export const generalQuestions = (source: PlainSource): fc.Arbitrary<GeneralQuestion> =>
  fc
    .record({
      question: fc.record({
        por: dimensions(source),
        medidas: measures(source),
        filters: filters(source),
        limite: fc.option(fc.constantFrom(1, 2, 3, 7, 1100), { nil: undefined, freq: 2 }),
        data: source.dates ? fc.constantFrom(undefined, ...source.dates) : fc.constant(undefined),
        isCsv: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      }),
      range: ends,
      months: wholeMonths,
      comparar: fc.option(fc.constantFrom(...COMPARISONS), { nil: undefined, freq: 2 }),
      order: fc.option(fc.record({ column: fc.nat(), sign: fc.constantFrom("", "-") }), {
        nil: undefined,
        freq: 2,
      }),
      isRepaired: fc.integer({ min: 0, max: 2 }).map((n) => n > 0),
    })
    .map(({ question, range, months, comparar, order, isRepaired }) => {
      const chosen = { ...question, ...(isRanged(range) && { comparar }), ...range };
      const ranged = { ...chosen, por: chosen.por.filter((name) => name in source.dimensions) };
      const asked = isRepaired ? repaired(source, ranged, months) : ranged;
      const columns = [...columnsOf(source, asked), ...measuresOf(source, asked), "variacao"];
      const ordem = order && `${order.sign}${columns[order.column % columns.length]}`;
      return { ...asked, ordem };
    });

type Zones = Record<"from" | "to", Parameters<typeof formatInstant>[1]>;

/** The query parameters of a question to any list or report. */
export const parametersOf = (
  question: Partial<GeneralQuestion & Omit<Question, keyof GeneralQuestion>>,
  zones: Zones,
): Record<string, string> => {
  const { por = [], filters: chosen, from, to, ...rest } = question;
  const { medidas, limite, isCsv, perPage: _, ...others } = rest;
  const given = {
    ...(por.length > 0 && { por: por.join() }),
    ...(medidas && { medidas: medidas.join() }),
    ...chosen,
    ...(from !== undefined && { data_inicio: formatInstant(from, zones.from) }),
    ...(to !== undefined && { data_fim: formatInstant(to, zones.to) }),
    ...(limite !== undefined && { limite: String(limite) }),
    ...(isCsv && { formato: "csv" }),
    ...others,
  };
  return Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])));
};
