import fc from "fast-check";
import { end, type Instant, offset, write } from "./instants.ts";

/** What is asked: filters by parameter, the ends of a range, how many records a page has. */
export interface Question {
  filters: Record<string, string>;
  from?: Instant;
  to?: Instant;
  perPage: number;
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

export const REPORTS = ["resumo", "transacoes-por-profissional", "transacoes-por-forma-pagamento"];

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

/** How a question is asked: its parameters, each end of a range in an offset of its own. */
export const wording = fc.record({ from: offset, to: offset });
export const queryOf = (
  { filters, from, to }: Question,
  zones: { from: Parameters<typeof write>[1]; to: Parameters<typeof write>[1] },
): Record<string, string> => ({
  ...filters,
  ...(from !== undefined && { data_inicio: write(from, zones.from) }),
  ...(to !== undefined && { data_fim: write(to, zones.to) }),
});
