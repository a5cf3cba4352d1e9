// The general reports that the panel asks: their paths, and what a row of each has.

/** The instants of the range that a report is compared with. `ate` is how far the data reaches, if it ends there. */
export type EarlierRange = { inicio: string; fim: string; ate: string | null };
export type OfUnit = { estabelecimento_id: string; unidade_nome: string | null };
/** A unit, as the service lists it. */
export type Unit = {
  salon_id: string | null;
  nome: string | null;
  ativo: boolean;
  erp_centro_custo_id: number | null;
};
/** Amounts are in reais. An average of nothing is null. */
export type Revenue = {
  valor_total: number;
  valor_servicos: number;
  valor_produtos: number;
  visitas: number;
  ticket_medio: number | null;
};
export type Services = { servicos: number; cortesias: number; valor_total: number };
/** One person: the service looks the name up by the id, which is of the whole salon system. */
export type Professional = { profissional: string | null; profissional_salon_id: string | null };
/** Pending payments of the ERP. `faixa` is when they are due. */
export type Due = { pendentes: number; valor_pendente: number; vencimento_mais_antigo: string | null };
export type Band = "vencida" | "hoje" | "7-dias" | "30-dias" | "depois" | "sem-data";

/**
 * An answer: rows, and the sums of everything that matched. If it is compared, both have the earlier measures. A row
 * that one of the two ranges lacks has zeros there.
 */
export type Report<Keys, Measures> = {
  data: (Keys & Measures & { anterior?: Measures })[];
  totais: Measures & { anterior?: Measures };
  /** The number of rows before the limit. */
  linhas?: number;
  anterior?: EarlierRange;
};

/** Whether no row was left out by the limit. */
export const isWhole = ({
  data,
  linhas = data.length,
}: {
  data: readonly unknown[];
  linhas?: number;
}): boolean => linhas <= data.length;

export type Freshness = import("../../src/api/v1/frescor/schemas.ts").Frescor;

type Value = { valor_total: number };
type UnsentVisits = { visitas: number; valor_total: number; primeira_visita: string | null };
type Entries = { lancamentos: number; valor_total: number };
/** The answer of Início: each part is the report of its name. A part that the user may not read is null. */
export type PanelBody = {
  unidades: Unit[];
  faturamento: Report<{ origem: "salao" | "loja" }, Revenue>;
  faturamento_por_periodo: Report<Step, Value>;
  faturamento_anterior: Report<Step, Value> | null;
  metas: Report<{ mes: string }, Value & { meta: number | null; valor_com_meta: number }>;
  metas_por_unidade: Report<OfUnit & { mes: string }, { meta: number | null }>;
  faturamento_por_unidade: Report<OfUnit, Revenue>;
  faturamento_por_unidade_e_periodo: Report<OfUnit & Step, Value>;
  /** Of today, and of the 56 days before it, whatever the view. 1 is Monday. */
  faturamento_hoje: Report<OfUnit, Value>;
  faturamento_semanas: Report<OfUnit & { dia_semana: number }, Value>;
  visitas_por_forma_pagamento: Report<
    { forma_pagamento: string | null },
    { visitas: number; valor_total: number; taxas: number }
  >;
  clientes: Report<object, { clientes: number; clientes_novos: number }> | null;
  /** Visits that are not sent, without the last 24 hours of the data. */
  pendentes_antigos: Report<object, UnsentVisits>;
  /** The same without the last 60 days of the data. */
  pendentes_60_dias: Report<object, UnsentVisits>;
  lancamentos_pendentes_antigos: Report<object, Entries>;
  lancamentos_pendentes_60_dias: Report<object, Entries>;
  pagamentos: Report<{ id_centro_custo: string | null; faixa: Band }, Due> | null;
  servicos_por_profissional: Report<Professional, Services>;
  servicos_por_unidade_e_profissional: Report<OfUnit & Professional, { servicos: number }>;
  frescor: Freshness;
};
/** What Início cannot be drawn without. */
export const PANEL_FIELDS = [
  "unidades",
  "faturamento.data",
  "faturamento.totais",
  "faturamento_por_periodo.data",
  "metas.totais",
  "faturamento_por_unidade.data",
  "faturamento_por_unidade_e_periodo.data",
  "faturamento_hoje.data",
  "faturamento_semanas.data",
  "visitas_por_forma_pagamento.data",
  "visitas_por_forma_pagamento.totais",
  "pendentes_antigos.totais",
  "pendentes_60_dias.totais",
  "lancamentos_pendentes_antigos.totais",
  "lancamentos_pendentes_60_dias.totais",
  "metas_por_unidade.data",
  "servicos_por_profissional.data",
  "servicos_por_unidade_e_profissional.data",
  "frescor.data",
];

/** A step of a series: the hour of a day, or its first day, by the granularity that was asked for. */
export type Step = { hora?: number; dia?: string; mes?: string };

/** The values of a report's parameters; undefined omits one. */
type Query = Record<string, string | undefined>;

/** In reais: who had less before leads no order by change, in which small amounts would look large. */
export const LEAST_PAST = 300;

/** The highest number of rows that the service sends. Without it, it would send the first 100. */
export const MAX_ROWS = 1100;

export const reportPath = (report: string, query: Query): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/v1/relatorios/${report}?${new URLSearchParams(given)}`;
};

/** The rows of a general report, as many as its answer may have. */
export const rowsPath = (report: string, query: Query): string =>
  reportPath(report, { limite: String(MAX_ROWS), ...query });

/** All rows of such a report: only CSV has no limit. */
export const wholePath = (path: string): string => path.replace(`limite=${MAX_ROWS}`, "formato=csv");
