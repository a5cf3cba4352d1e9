// Requests what the panel's report does not contain: sales, pending visits, hours, and where the data begin.
import { earlierDays, earlierRangeOf, endOf, rangeOf, reportPath, stepOf } from "./ranges.js";
import { elapsedDays } from "./view.js";

/**
 * @typedef {import("./answers.js").Details} Details
 * @typedef {import("./view.js").View} View
 */

/** @typedef {<T>(message: string, part: Promise<T>) => Promise<T | undefined>} OrGap records a failed request as a gap */

/** @param {import("./service.js").Service} service @param {View} view @param {AbortSignal} signal @param {OrGap} orGap @returns {Promise<Details>} */
export const loadDetails = async (service, view, signal, orGap) => {
  /** @param {string} report @param {Record<string, string>} query @returns {Promise<any>} */
  const rows = async (report, query) => {
    const { data } = await service.get(reportPath(report, query), ["data"], signal);
    return data;
  };
  const salesIn = async (/** @type {Record<string, string>} */ range) => {
    const of = (/** @type {string} */ origem) => rows("vendas-por-estabelecimento", { ...range, origem });
    const [salons, stores] = await Promise.all([of("salao"), of("loja")]);
    return { salons, stores };
  };
  const unit = view.unit ? { estabelecimento_id: view.unit } : {};
  const until = { data_fim: endOf((earlierDays(view) ?? elapsedDays(view)).from), ...unit };
  const unitsIn = async (/** @type {string} */ report) =>
    new Set(
      (await rows(report, until)).map(
        (/** @type {{ estabelecimento_id: string }} */ row) => row.estabelecimento_id,
      ),
    );
  const hoursIn = (/** @type {Record<string, string>} */ range) => rows("transacoes-por-horario", range);
  const range = rangeOf(view);
  const earlier = earlierRangeOf(view);
  const isOneDay = stepOf(view) === "hora";
  const pendingVisits = async () => {
    const { transacoes } = await service.get(reportPath("resumo", unit), ["transacoes"], signal);
    return transacoes.pendentes_erp;
  };
  const [sales, earlierSales, known, pending, hours, earlierHours] = await Promise.all([
    orGap("Vendas de produtos indisponíveis.", salesIn(range)),
    earlier && orGap("Vendas do período anterior indisponíveis.", salesIn(earlier)),
    orGap(
      "Não foi possível verificar se há dados do período anterior.",
      Promise.all([unitsIn("transacoes-por-estabelecimento"), unitsIn("vendas-por-estabelecimento")]),
    ),
    orGap("Total de pendentes indisponível.", pendingVisits()),
    isOneDay ? orGap("Movimento por hora indisponível.", hoursIn(range)) : undefined,
    isOneDay && earlier ? orGap("Movimento anterior por hora indisponível.", hoursIn(earlier)) : undefined,
  ]);
  const begun = known && { visits: known[0], sales: known[1] };
  return { sales, earlierSales, known: begun, pending, hours, earlierHours };
};
