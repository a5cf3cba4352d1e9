import { type SQL, sql } from "drizzle-orm";
import { type Question, type QuestionParameters, questionOf } from "./question.ts";
import type { Source } from "./source.ts";
import { faturamento } from "./sources/faturamento.ts";
import { lancamentos } from "./sources/lancamentos.ts";
import { pagamentos } from "./sources/pagamentos.ts";
import { servicos } from "./sources/servicos.ts";
import { visitas } from "./sources/visitas.ts";

/** A part of the panel that is the answer of a general report (R7). */
export interface PanelPart {
  source: Source;
  asks: QuestionParameters & { limite?: number };
  /** The filters of its question, besides range and unit. */
  filters?: Record<string, SQL>;
  /**
   * Without it, that of the request. `today` and `eight-weeks` go by the clock of the request; `a-day-old` and
   * `60-days-old` end so long before the data instant.
   */
  range?: "earlier-in-full" | "all" | "a-day-old" | "60-days-old" | "today" | "eight-weeks";
  /** Whether `comparar` applies to it. */
  comparable?: boolean;
  /** Counts different clients: it reads facts, and readers without personal data get it of whole months (R24). */
  countsClients?: true;
  /** What it is, for the document. */
  description: string;
}

/** The name of the query of a part, unlike any table: `metas` is one. */
export const partTable = (name: string): SQL => sql`${sql.identifier(`part_${name}`)}`;

/** Not the default of 100 rows: as many as a report can have. */
const limite = 1100;

/** In place of the dimension that `granularidade` names. */
export const GRAIN = "granularidade";

const ofUnsent = { medidas: ["visitas", "valor_total", "primeira_visita"] };
/** An entry is as old as its `synced_at`. */
// mistake: entries-by-due-date
const ofUnsentEntries = { data: "sincronizacao", medidas: ["lancamentos", "valor_total"] };

/** The parts that are answers of general reports, in the order of the body. */
export const PARTS = {
  faturamento: {
    source: faturamento,
    asks: { por: ["origem"], limite },
    comparable: true,
    description: "`faturamento` by `origem`",
  },
  faturamento_por_periodo: {
    source: faturamento,
    asks: { por: [GRAIN], medidas: ["valor_total"] },
    comparable: true,
    description: "`valor_total` of `faturamento` by `granularidade`",
  },
  faturamento_anterior: {
    source: faturamento,
    asks: { por: [GRAIN], medidas: ["valor_total"] },
    range: "earlier-in-full",
    description:
      "`valor_total` of `faturamento` by `granularidade`, over the earlier range in full, even if the range is not " +
      "over yet; `null` without `comparar`",
  },
  metas: {
    source: faturamento,
    asks: { por: ["mes"], medidas: ["valor_total", "meta", "valor_com_meta"] },
    description:
      "`valor_total`, `meta` and `valor_com_meta` of `faturamento` by month. A goal is of the whole month",
  },
  metas_por_unidade: {
    source: faturamento,
    asks: { por: ["mes", "unidade"], medidas: ["meta"], limite }, // mistake: goals-of-all-time
    description: "`meta` of `faturamento` by month and unit, at most 1,100 rows",
  },
  faturamento_por_unidade: {
    source: faturamento,
    asks: { por: ["unidade"], limite },
    comparable: true,
    description: "`faturamento` by unit",
  },
  faturamento_por_unidade_e_periodo: {
    source: faturamento,
    asks: { por: [GRAIN, "unidade"], medidas: ["valor_total"], limite },
    description: "`valor_total` of `faturamento` by `granularidade` and unit, at most 1,100 rows",
  },
  faturamento_hoje: {
    source: faturamento,
    asks: { por: ["unidade"], medidas: ["valor_total"], limite },
    range: "today", // mistake: today-of-all-time
    description: "`valor_total` of `faturamento` of today by unit, whatever the range",
  },
  faturamento_semanas: {
    source: faturamento,
    asks: { por: ["dia_semana", "unidade"], medidas: ["valor_total"], limite },
    range: "eight-weeks",
    description:
      "`valor_total` of `faturamento` of the 56 days before today by weekday and unit, whatever the range: an " +
      "eighth of it is what such a day usually has",
  },
  visitas: {
    source: visitas,
    asks: {},
    comparable: true,
    description: "`visitas` in one row",
  },
  visitas_por_forma_pagamento: {
    source: visitas,
    asks: { por: ["forma_pagamento"], medidas: ["visitas", "valor_total", "taxas"], limite },
    description: "`visitas`, `valor_total` and `taxas` of `visitas` by payment method",
  },
  clientes: {
    source: visitas,
    asks: { medidas: ["clientes", "clientes_novos"] },
    comparable: true,
    countsClients: true,
    description:
      "`clientes` and `clientes_novos` of `visitas`; `null` for what a reader without personal data may not ask",
  },
  pendentes: {
    source: visitas,
    asks: ofUnsent,
    filters: { sent_to_erp: sql`false` },
    range: "all",
    description: "`visitas` not yet sent to the ERP, in one row, of all time",
  },
  pendentes_antigos: {
    source: visitas,
    asks: ofUnsent,
    filters: { sent_to_erp: sql`false` },
    range: "a-day-old", // mistake: all-unsent
    description: "Those of these visits that were at least 24 hours before the data instant",
  },
  pendentes_60_dias: {
    source: visitas,
    asks: ofUnsent,
    filters: { sent_to_erp: sql`false` },
    range: "60-days-old",
    description: "Those of these visits that were at least 60 days before the data instant",
  },
  lancamentos_pendentes: {
    source: lancamentos,
    asks: { medidas: ["lancamentos", "valor_total"] },
    filters: { sent_to_salon: sql`false` },
    range: "all",
    description: "Ledger entries not yet sent to the salon system, in one row, of all time",
  },
  lancamentos_pendentes_antigos: {
    source: lancamentos,
    asks: ofUnsentEntries,
    filters: { sent_to_salon: sql`false` },
    range: "a-day-old",
    description: "Those of these entries that were fetched at least 24 hours before the data instant",
  },
  lancamentos_pendentes_60_dias: {
    source: lancamentos,
    asks: ofUnsentEntries,
    filters: { sent_to_salon: sql`false` },
    range: "60-days-old",
    description: "Those of these entries that were fetched at least 60 days before the data instant",
  },
  pagamentos: {
    source: pagamentos,
    asks: {
      por: ["centro_custo", "faixa"],
      medidas: ["pendentes", "valor_pendente", "vencimento_mais_antigo"],
      limite,
    },
    filters: { situacao: sql`1` },
    range: "all",
    description:
      "Pending payments of all units by cost centre and `faixa`, of all time; `null` without the right to " +
      "payments",
  },
  servicos_por_profissional: {
    source: servicos,
    asks: { por: ["profissional"], ordem: ["-valor_total"], limite: 10 }, // mistake: all-professionals
    comparable: true,
    description: "`servicos` by professional, over all units: the ten with the highest `valor_total`",
  },
  servicos_por_unidade_e_profissional: {
    source: servicos,
    asks: { por: ["unidade", "profissional"], medidas: ["servicos"], limite },
    filters: {
      profissional_salon_id: sql`any (
        select row ->> 'profissional_salon_id'
        from ${partTable("servicos_por_profissional")}, jsonb_array_elements(body::jsonb -> 'data') as row
      )`,
    },
    comparable: true,
    description: "Where these ten worked: `servicos` of `servicos` by unit and professional",
  },
} satisfies Record<string, PanelPart>;

export type PartName = keyof typeof PARTS;

/** A value for each part, in the order of the body. */
export const mapParts = <Value>(value: (name: PartName, part: PanelPart) => Value) =>
  Object.fromEntries(
    Object.entries<PanelPart>(PARTS).map(([name, part]) => [name, value(name as PartName, part)]),
  ) as Record<PartName, Value>;

export const GRAINS = ["dia", "mes", "hora"] as const;

/** The question of a part. */
export const questionTo = (
  { source, asks, filters = {}, comparable = false }: PanelPart,
  grain: (typeof GRAINS)[number],
  { isCompared = false } = {},
): Question => {
  const por = asks.por?.map((name) => (name === GRAIN ? grain : name));
  return questionOf(source, { ...asks, ...filters, por }, comparable && isCompared);
};
