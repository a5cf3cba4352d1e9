// The general reports that the panel asks: their paths, and what a row of each has.

/** The instants of the range that a report is compared with. */
export type EarlierRange = { inicio: string; fim: string };
export type OfUnit = { estabelecimento_id: string; unidade_nome: string | null };
export type VisitSums = { visitas: number; valor_total: number };
export type VisitMeasures = VisitSums & {
  ticket_medio: number | null;
  enviadas: number;
  pendentes: number;
  valor_pendente: number;
};
export type RevenueMeasures = { valor_total: number; valor_servicos: number; valor_produtos: number };
export type ProductMeasures = {
  quantidade: number;
  valor_total: number;
  quantidade_profissional: number;
  valor_profissional: number;
};
export type SalesMeasures = { linhas: number; quantidade: number; valor_profissional: number };
export type ServiceMeasures = { servicos: number; cortesias: number; valor_total: number };
export type PaymentMeasures = {
  pendentes: number;
  valor_pendente: number;
  vencidos: number;
  valor_vencido: number;
};

/**
 * An answer: rows, and the sums of everything that matched. If it is compared, both have the earlier measures. A row
 * that one of the two ranges lacks has zeros there.
 */
export type Report<Keys, Measures> = {
  data: (Keys & Measures & { anterior?: Measures })[];
  totais: Measures & { anterior?: Measures };
  anterior?: EarlierRange;
};

/** The values of a report's parameters; undefined omits one. */
type Query = Record<string, string | undefined>;

/** The service would send only the first 100 rows. This is the highest number that it accepts. */
const ALL_ROWS = "1100";

export const reportPath = (report: string, query: Query): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/v1/relatorios/${report}?${new URLSearchParams(given)}`;
};

/** All rows of a general report. */
export const rowsPath = (report: string, query: Query): string =>
  reportPath(report, { limite: ALL_ROWS, ...query });
