import fc from "fast-check";
import { end, type Instant, offset, write } from "./instants.ts";

/** What is asked: filters by parameter, the ends of a range, how many records a page has. */
export interface Question {
  filters: Record<string, string>;
  from?: Instant;
  to?: Instant;
  perPage: number;
  /** Of a report over time; left out, it is by month. */
  granularidade?: "dia" | "mes";
}

/** A list: its path, the parameters it filters by with values to try, and whether it has a range and a cursor. */
export interface List {
  filters: Record<string, string[]>;
  range: boolean;
  cursor: boolean;
}

const UNITS = ["101", "102", "201", "999"];
const FLAGS = ["true", "false"];

export const LISTS: Record<string, List> = {
  transacoes: { filters: { estabelecimento_id: UNITS, sent_to_erp: FLAGS }, range: true, cursor: false },
  lancamentos: { filters: { estabelecimento_id: UNITS, sent_to_salon: FLAGS }, range: true, cursor: true },
  "pagamentos-erp": {
    filters: {
      situacao: ["1", "2"],
      id_centro_custo: ["7001", "7002"],
      nome_conta_classificacao: ["Aluguel", "Água"],
    },
    range: true,
    cursor: true,
  },
  "vendas-produto": {
    filters: { estabelecimento_id: UNITS, origem: ["salao", "loja"] },
    range: true,
    cursor: false,
  },
  "jobs-log": {
    filters: {
      job_name: ["sync-transacoes", "send-receber", "send-pagar"],
      status: ["started", "completed", "failed"],
    },
    range: true,
    cursor: false,
  },
  profissionais: { filters: { ativo: FLAGS, estabelecimento_id: UNITS }, range: false, cursor: false },
  produtos: {
    filters: { estabelecimento_id: UNITS, nome: ["óleo", "%", "_", "SHAMPOO", "\\", "e"] },
    range: false,
    cursor: false,
  },
};

export const REPORTS = [
  "resumo",
  "transacoes-por-profissional",
  "transacoes-por-forma-pagamento",
  "transacoes-por-estabelecimento",
  "nao-mapeados",
];

/** Reports that are asked by `granularidade`. */
export const REPORTS_OVER_TIME = ["transacoes-por-periodo", "painel"];

const range = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(end, end).map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a })),
  },
  { weight: 2, arbitrary: end.map((from) => ({ from })) },
  { weight: 2, arbitrary: end.map((to) => ({ to })) },
  { weight: 2, arbitrary: fc.constant({}) },
);

/** Any of the filters, each with any of its values. */
const filtered = (filters: Record<string, string[]>): fc.Arbitrary<Record<string, string>> =>
  fc
    .tuple(
      ...Object.entries(filters).map(([name, values]) =>
        fc.option(fc.constantFrom(...values).map((value) => [name, value] as const)),
      ),
    )
    .map((chosen) => Object.fromEntries(chosen.filter((one) => one !== null)));

/** Questions to a list: any filters together, any range, small and large pages. */
export const questionsTo = (list: Pick<List, "filters" | "range">): fc.Arbitrary<Question> =>
  fc
    .record({
      filters: filtered(list.filters),
      ends: list.range ? range : fc.constant<{ from?: Instant; to?: Instant }>({}),
      perPage: fc.constantFrom(1, 7, 50, 200),
    })
    .map(({ ends, ...rest }) => ({ ...rest, ...ends }));

/** Questions to a report. */
export const questionsToReports = questionsTo({ filters: { estabelecimento_id: UNITS }, range: true });

const DAY = 86_400_000_000n;

/** The parameters know no later one. */
const LAST = BigInt(Date.parse("2200-12-31T00:00:00Z")) * 1000n;

/** A range of about so many days as may be told one by one, give or take an instant. */
const short = fc
  .tuple(
    end,
    fc.constantFrom(0n, 1n, 30n, 365n, 1098n, 1099n, 1100n),
    fc.constantFrom(0n, 0n, -1n, 1n, DAY / 2n),
  )
  .map(([from, days, more]) => ({ from, to: from + days * DAY + more }))
  .filter(({ from, to }) => from <= to && to < LAST);

/** Questions to a report over time, of few periods as often as of too many. */
export const questionsOverTime: fc.Arbitrary<Question> = fc
  .record({
    question: questionsToReports,
    ends: fc.option(short),
    granularidade: fc.constantFrom("dia", "mes", undefined),
  })
  .map(({ question: { from, to, ...rest }, ends, granularidade }) => ({
    ...rest,
    ...(ends ?? { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }),
    ...(granularidade && { granularidade }),
  }));

/** How a question is asked: its parameters, each end of a range in an offset of its own. */
export const wording = fc.record({ from: offset, to: offset });
export const queryOf = (
  { filters, from, to, granularidade }: Question,
  zones: { from: Parameters<typeof write>[1]; to: Parameters<typeof write>[1] },
): Record<string, string> => ({
  ...filters,
  ...(from !== undefined && { data_inicio: write(from, zones.from) }),
  ...(to !== undefined && { data_fim: write(to, zones.to) }),
  ...(granularidade && { granularidade }),
});
