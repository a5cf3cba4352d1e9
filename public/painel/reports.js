// The general reports that the panel asks: their paths, and what a row of each has.

/**
 * @typedef {{ inicio: string, fim: string }} EarlierRange the instants of the range that a report is compared with
 * @typedef {{ estabelecimento_id: string, unidade_nome: string | null }} OfUnit
 * @typedef {{ visitas: number, valor_total: number }} VisitSums
 * @typedef {VisitSums & { ticket_medio: number | null, enviadas: number, pendentes: number, valor_pendente: number }} VisitMeasures
 * @typedef {{ valor_total: number, valor_servicos: number, valor_produtos: number }} RevenueMeasures
 * @typedef {{ quantidade: number, valor_total: number, quantidade_profissional: number, valor_profissional: number }} ProductMeasures
 * @typedef {{ linhas: number, quantidade: number, valor_profissional: number }} SalesMeasures
 * @typedef {{ servicos: number, cortesias: number, valor_total: number }} ServiceMeasures
 * @typedef {{ pendentes: number, valor_pendente: number, vencidos: number, valor_vencido: number }} PaymentMeasures
 */

/**
 * An answer: rows, and the sums of everything that matched. If it is compared, both have the earlier measures. A row
 * that one of the two ranges lacks has zeros there.
 * @template Keys
 * @template Measures
 * @typedef {{ data: (Keys & Measures & { anterior?: Measures })[], totais: Measures & { anterior?: Measures }, anterior?: EarlierRange }} Report
 */

/** The service would send only the first 100 rows. This is the highest number that it accepts. */
const ALL_ROWS = "1100";

/** @param {string} report @param {Record<string, string | undefined>} query */
export const reportPath = (report, query) => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/v1/relatorios/${report}?${new URLSearchParams(given)}`;
};

/** All rows of a general report. @param {string} report @param {Record<string, string | undefined>} query */
export const rowsPath = (report, query) => reportPath(report, { limite: ALL_ROWS, ...query });
