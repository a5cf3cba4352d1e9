// Requests what the panel's report does not contain: revenue and sales, pending visits, hours, and where the data begin.
import { comparedRangeOf, earlierStart, endOf, productsPath, stepOf } from "./ranges.js";
import { reportPath, rowsPath } from "./reports.js";
import { elapsedDays } from "./view.js";

/**
 * @typedef {import("./answers.js").Details} Details
 * @typedef {import("./view.js").View} View
 */

/** @typedef {<T>(message: string, part: Promise<T>) => Promise<T | undefined>} OrGap records a failed request as a gap */

const REPORT = ["data", "totais"];

/** The units with visits, and with product lines. A row without visits is of lines. @param {(import("./revenue.js").Origin & { visitas: number, valor_produtos: number })[]} rows @returns {Details["known"]} */
const knownUnits = (rows) => {
  const withLines = rows.filter(
    ({ origem, visitas, valor_produtos }) => origem === "loja" || visitas === 0 || valor_produtos !== 0,
  );
  const idsOf = (/** @type {typeof rows} */ some) => new Set(some.map((row) => row.estabelecimento_id));
  return { visits: idsOf(rows.filter(({ visitas }) => visitas > 0)), sales: idsOf(withLines) };
};

/** @param {import("./service.js").Service} service @param {View} view @param {AbortSignal} signal @param {OrGap} orGap @returns {Promise<Details>} */
export const loadDetails = async (service, view, signal, orGap) => {
  /** @param {string} path @returns {Promise<any>} */
  const report = (path) => service.get(path, REPORT, signal);
  const compared = comparedRangeOf(view);
  const loadSales = async () => {
    const by = { ...compared, por: "unidade,origem" };
    const [revenue, lines] = await Promise.all([
      report(rowsPath("faturamento", { ...by, medidas: "valor_total,valor_servicos,valor_produtos" })),
      report(rowsPath("vendas", { ...by, medidas: "linhas,quantidade,valor_profissional" })),
    ]);
    return { revenue, lines };
  };
  const unit = view.unit ? { estabelecimento_id: view.unit } : {};
  const until = { data_fim: endOf(earlierStart(view) ?? elapsedDays(view).from), ...unit };
  const loadKnown = async () => {
    const medidas = "visitas,valor_produtos";
    const { data } = await report(rowsPath("faturamento", { ...until, por: "unidade,origem", medidas }));
    return knownUnits(data);
  };
  const loadHours = () =>
    report(rowsPath("visitas", { ...compared, por: "hora", medidas: "visitas,valor_total" }));
  const loadPending = async () => {
    const { transacoes } = await service.get(reportPath("resumo", unit), ["transacoes"], signal);
    return transacoes.pendentes_erp;
  };
  const [sales, products, known, pending, hours] = await Promise.all([
    orGap("Vendas de produtos indisponíveis.", loadSales()),
    orGap("Produtos mais vendidos indisponíveis.", report(productsPath(view, "10"))),
    orGap("Não foi possível verificar se há dados do período anterior.", loadKnown()),
    orGap("Total de pendentes indisponível.", loadPending()),
    stepOf(view) === "hora" ? orGap("Movimento por hora indisponível.", loadHours()) : undefined,
  ]);
  return { sales, products, known, pending, hours };
};
