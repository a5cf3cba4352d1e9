import { type Question, type QuestionParameters, questionOf } from "./question.ts";
import type { Source } from "./source.ts";
import { faturamento } from "./sources/faturamento.ts";
import { pagamentos } from "./sources/pagamentos.ts";
import { servicos } from "./sources/servicos.ts";
import { visitas } from "./sources/visitas.ts";

/** The range of a part: that of the request, the whole earlier one, or all time. */
type PartRange = "asked" | "earlier-in-full" | "all";

/** A part of the panel that is the answer of a general report (R7). */
export interface Part {
  source: Source;
  asks: QuestionParameters & { limite?: number; situacao?: number };
  range: PartRange;
  /** Whether `comparar` applies to it. */
  comparable: boolean;
  /** Counts different clients: it reads rows, and readers without personal data get it of whole months (R24). */
  countsClients?: true;
  /** What it is, for the document. */
  description: string;
}

/** Not the default of 100 rows: as many as a report can have. */
const limite = 1100;

/** In place of the dimension that `granularidade` names. */
const GRAIN = "granularidade";

/** The parts that are answers of general reports, in the order of the body. */
export const PARTS = {
  faturamento: {
    source: faturamento,
    asks: { por: ["origem"], limite },
    range: "asked",
    comparable: true,
    description: "`faturamento` by `origem`",
  },
  faturamento_por_periodo: {
    source: faturamento,
    asks: { por: [GRAIN], medidas: ["valor_total"] },
    range: "asked",
    comparable: true,
    description: "`valor_total` of `faturamento` by `granularidade`",
  },
  faturamento_anterior: {
    source: faturamento,
    asks: { por: [GRAIN], medidas: ["valor_total"] },
    range: "earlier-in-full",
    comparable: false,
    description:
      "`valor_total` of `faturamento` by `granularidade`, over the earlier range in full, even if the range is not " +
      "over yet; `null` without `comparar`",
  },
  metas: {
    source: faturamento,
    asks: { por: ["mes"], medidas: ["valor_total", "meta"] },
    range: "asked",
    comparable: false,
    description: "`valor_total` and `meta` of `faturamento` by month. A goal is of the whole month",
  },
  faturamento_por_unidade: {
    source: faturamento,
    asks: { por: ["unidade"], limite },
    range: "asked",
    comparable: true,
    description: "`faturamento` by unit",
  },
  faturamento_por_unidade_e_periodo: {
    source: faturamento,
    asks: { por: [GRAIN, "unidade"], medidas: ["valor_total"], limite },
    range: "asked",
    comparable: false,
    description: "`valor_total` of `faturamento` by `granularidade` and unit, at most 1,100 rows",
  },
  visitas: {
    source: visitas,
    asks: {},
    range: "asked",
    comparable: true,
    description: "`visitas` in one row",
  },
  visitas_por_forma_pagamento: {
    source: visitas,
    asks: { por: ["forma_pagamento"], medidas: ["visitas", "valor_total", "taxas"], limite },
    range: "asked",
    comparable: false,
    description: "`visitas`, `valor_total` and `taxas` of `visitas` by payment method",
  },
  clientes: {
    source: visitas,
    asks: { medidas: ["clientes", "clientes_novos"] },
    range: "asked",
    comparable: true,
    countsClients: true,
    description:
      "`clientes` and `clientes_novos` of `visitas`; `null` where that report rejects the range: without both " +
      "ends, over more than 400 days, or for what a reader without personal data may not ask",
  },
  pagamentos: {
    source: pagamentos,
    asks: {
      por: ["centro_custo", "faixa"],
      medidas: ["pendentes", "valor_pendente", "vencimento_mais_antigo"],
      situacao: 1,
      limite,
    },
    range: "all",
    comparable: false,
    description:
      "Pending payments of all units by cost centre and `faixa`, of all time; `null` without the right to " +
      "payments",
  },
  servicos_por_profissional: {
    source: servicos,
    asks: { por: ["unidade", "profissional"], ordem: ["-valor_total"], limite: 10 },
    range: "asked",
    comparable: true,
    description: "`servicos` by unit and professional: the ten rows with the highest `valor_total`",
  },
} satisfies Record<string, Part>;

/** The visits not yet sent to the ERP. No rollup holds their first visit: see `selectUnsentVisits`. */
export const UNSENT: Part = {
  source: visitas,
  asks: { medidas: ["visitas", "valor_total", "primeira_visita"] },
  range: "all",
  comparable: false,
  description: "`visitas` not yet sent to the ERP, in one row, of all time",
};

export type PartName = keyof typeof PARTS;

export const GRAINS = ["dia", "mes"] as const;

/** The question of a part. */
export const questionTo = (
  { source, asks, comparable }: Part,
  grain: (typeof GRAINS)[number],
  isCompared: boolean,
): Question => {
  const por = asks.por?.map((name) => (name === GRAIN ? grain : name));
  const filters = asks.situacao === undefined ? [] : ["situacao"];
  return questionOf(source, { ...asks, por }, filters, comparable && isCompared);
};
