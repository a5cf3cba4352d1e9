import fc from "fast-check";
import { COMPARISONS, type Comparison } from "../../src/core/periods.ts";
import { type Instant, offset, rangeEnd } from "./instants.ts";
import { CLIENTS, dayFromToday } from "./values.ts";

/** A random query: values of filter parameters, the ends of a range, and the size of a page. */
export interface Question {
  filters: Record<string, string>;
  from?: Instant;
  to?: Instant;
  perPage: number;
  /** For the panel. Defaults to months. */
  granularidade?: "dia" | "mes" | "hora";
  /** For some reports, if both ends of the range are given. */
  comparar?: Comparison;
}

/** The filter parameters of a list with values to try, and whether it has a range and a cursor. */
export interface List {
  filters: Record<string, string[]>;
  range?: true;
  cursor?: true;
}

export const UNITS = ["101", "102", "201", "999"];
/** Of payments, of a professional (83), of one without a unit (85), and of nothing (7009). */
const CENTRES = ["7001", "7002", "83", "85", "7009"];
const FLAGS = ["true", "false"];

/** Of the whole chain's cost centres, also for a reader of some units (R27). */
export const OF_RESULT = { da_unidade: UNITS, sem_unidade: FLAGS };

export const LISTS: Record<string, List> = {
  transacoes: {
    filters: { estabelecimento_id: UNITS, sent_to_erp: FLAGS, cliente_salon_id: [...CLIENTS, "C9"] },
    range: true,
  },
  lancamentos: { filters: { estabelecimento_id: UNITS, sent_to_salon: FLAGS }, range: true, cursor: true },
  "pagamentos-erp": {
    filters: {
      situacao: ["1", "2"],
      id_centro_custo: CENTRES,
      ...OF_RESULT,
      nome_conta_classificacao: ["Aluguel", "Água", "Água".normalize("NFD"), "Luz"],
      data: ["pagamento", "vencimento"],
      ordem: ["vencimento", "id"],
      valor_min: ["1500.5", "0", "0.01", "999999999999.99"],
    },
    range: true,
    cursor: true,
  },
  "vendas-produto": {
    filters: {
      estabelecimento_id: UNITS,
      origem: ["salao", "loja"],
      cliente_id: [...CLIENTS, "C9"],
      produto_id: ["P1", "P2"],
    },
    range: true,
  },
  "jobs-log": {
    filters: {
      job_name: ["sync-transacoes", "send-receber", "send-pagar"],
      status: ["started", "completed", "failed"],
    },
    range: true,
  },
  profissionais: {
    filters: { ativo: FLAGS, estabelecimento_id: UNITS, salon_id: ["5001", "true"] },
  },
  produtos: {
    filters: {
      estabelecimento_id: UNITS,
      nome: ["óleo", "ÓLE".normalize("NFD"), "%", "_", "SHAMPOO", "\\", "e", "o"],
      salon_id: ["E1", "P01010", "P1"],
    },
  },
};

/** Both ends of a range, one or none. */
export const rangeEnds: fc.Arbitrary<{ from?: Instant; to?: Instant }> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(rangeEnd, rangeEnd)
      .map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a })),
  },
  { weight: 2, arbitrary: rangeEnd.map((from) => ({ from })) },
  { weight: 2, arbitrary: rangeEnd.map((to) => ({ to })) },
  { weight: 2, arbitrary: fc.constant({}) },
);

/** Nothing matches most combinations of more filters. */
const MAX_FILTERS = 4;

/** Some of the filters, each with one of its values. */
const filterValues = (filters: Record<string, string[]>): fc.Arbitrary<Record<string, string>> =>
  fc
    .subarray(Object.entries(filters), { maxLength: Math.min(MAX_FILTERS, Object.keys(filters).length) })
    .chain((chosen) =>
      fc.tuple(...chosen.map(([name, values]) => fc.constantFrom(...values).map((value) => [name, value]))),
    )
    .map(Object.fromEntries);

/** Random questions to a list: up to four filters, any range, small and large pages. */
export const questionsTo = (list: List): fc.Arbitrary<Question> =>
  fc
    .record({
      filters: filterValues(list.filters),
      ends: list.range ? rangeEnds : fc.constant<{ from?: Instant; to?: Instant }>({}),
      perPage: fc.constantFrom(1, 7, 50, 200),
    })
    .map(({ ends, ...rest }) => ({ ...rest, ...ends }));

/** Compares half of the questions that have both ends of a range. */
const someCompared = (questions: fc.Arbitrary<Question>): fc.Arbitrary<Question> =>
  fc
    .tuple(questions, fc.option(fc.constantFrom(...COMPARISONS), { freq: 2 }))
    .map(([question, comparar]) =>
      comparar === null || question.from === undefined || question.to === undefined
        ? question
        : { ...question, comparar },
    );

/** Random questions to a report without further parameters. */
export const questionsToUnits = questionsTo({ filters: { estabelecimento_id: UNITS }, range: true });

/** Random questions to each fixed report but the panel. */
export const REPORTS: Record<string, fc.Arbitrary<Question>> = {
  resumo: someCompared(questionsToUnits),
  "transacoes-por-profissional": questionsTo({
    filters: { estabelecimento_id: UNITS, limite: ["1", "2", "3", "7", "200"] },
    range: true,
  }),
  "transacoes-por-forma-pagamento": questionsToUnits,
  "nao-mapeados": questionsToUnits,
};

/** In microseconds. */
export const DAY = 86_400_000_000n;

/** The service accepts no later year. */
const LAST_INSTANT = BigInt(Date.parse("2200-12-31T00:00:00Z")) * 1000n;

/** A range of about so many days, whose ends are near edges. */
export const shortRange = (days: fc.Arbitrary<bigint>): fc.Arbitrary<{ from: Instant; to: Instant }> =>
  fc
    .tuple(rangeEnd, days, fc.constantFrom(0n, 0n, -1n, 1n, DAY / 2n))
    .map(([from, length, more]) => ({ from, to: from + length * DAY + more }))
    .filter(({ from, to }) => from <= to && to < LAST_INSTANT);

const TODAY = Number(dayFromToday(0).slice(8));
/** Where months with rows start, in UTC; the last three are the previous, the current and the next one. */
const MONTH_STARTS = [
  ...["2018-01-01T02", "2018-02-01T02", "2018-03-01T03", "2018-11-01T03", "2018-12-01T02", "2019-02-01T02"],
  ...["2019-03-01T03", "2024-02-01T03", "2024-03-01T03", "2024-12-01T03", "2025-01-01T03", "2025-02-01T03"],
  ...["2025-03-01T03", ...[-15, 1, 32].map((day) => `${dayFromToday(day - TODAY).slice(0, 7)}-01T03`)],
].map((hour) => BigInt(Date.parse(`${hour}:00:00Z`)) * 1000n);

/** February 2025. January has rows of days that it does not have (R23). */
const SHORTER_MONTH = MONTH_STARTS.length - 5;

const RUNNING_MONTH = MONTH_STARTS.length - 2;

/** Months that end in their last second, and seldom before it (R24). */
export const wholeMonths: fc.Arbitrary<{ from: Instant; to: Instant }> = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.nat({ max: MONTH_STARTS.length - 2 }) },
      { weight: 1, arbitrary: fc.constant(SHORTER_MONTH) },
      { weight: 1, arbitrary: fc.constant(RUNNING_MONTH) },
    ),
    fc.constantFrom(1, 1, 1, 2),
    fc.constantFrom(1n, 1n, 2n, 1_000_000n, 1_000_000n, 1_000_001n),
  )
  .map(([n, months, less]) => ({
    from: MONTH_STARTS[n] as Instant,
    to: (MONTH_STARTS[Math.min(n + months, MONTH_STARTS.length - 1)] as Instant) - less,
  }));

/** About 1,100 days are the most periods that a series has. */
const panelRange = shortRange(fc.constantFrom(0n, 1n, 30n, 365n, 1098n, 1099n, 1100n));

/** Random questions to the panel, with few or too many periods. */
export const questionsToPanel = someCompared(
  fc
    .record({
      question: questionsToUnits,
      ends: fc.option(fc.oneof({ weight: 2, arbitrary: panelRange }, { weight: 1, arbitrary: wholeMonths })),
      granularidade: fc.constantFrom("dia", "mes", "hora", undefined),
    })
    .map(({ question: { from, to, ...rest }, ends, granularidade }) => ({
      ...rest,
      ...(ends ?? { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }),
      ...(granularidade && { granularidade }),
    })),
);

/** A random UTC offset for each end of a range. */
export const rangeOffsets = fc.record({ from: offset, to: offset });
