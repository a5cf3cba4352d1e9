// Loads a view in parallel requests. Only the panel itself is required: other parts may be missing.
import { openService, RequestError } from "./service.js";
import { nameOr } from "./table.js";
import { panelPath, previousPath } from "./view.js";

/**
 * @typedef {import("./show.js").Panel} Panel
 * @typedef {import("./show.js").Summary} Summary
 * @typedef {import("./freshness.js").Freshness} Freshness
 * @typedef {import("./view.js").View} View
 * @typedef {Map<string, string>} Names unit names by `estabelecimento_id`
 * @typedef {[message: string, error: RequestError]} Gap a part that failed to load
 * @typedef {import("zod").output<typeof import("../../src/v1/estabelecimentos/schemas.ts").Estabelecimento>} Unit
 */

const PANEL_FIELDS = [
  "resumo",
  "por_periodo",
  "por_estabelecimento",
  "por_forma_pagamento",
  "por_profissional",
  "vendas_por_produto",
];

/** @param {import("../session.js").Session} session @param {() => void} onNames called when unit names are loaded */
export const openAnswers = (session, onNames) => {
  const service = openService(session);
  /** The last summary of a previous period: each view requests it once. @type {{ path: string, summary: Summary } | undefined} */
  let lastSummary;
  /** @type {Names | undefined} */
  let names;

  /** @param {Unit[]} units */
  const setNames = (units) => {
    /** @type {Names} */
    const loaded = new Map();
    for (const { salon_id: id, nome, ativo } of units) {
      const name = nameOr(nome, `Unidade ${id}`);
      if (id !== null) loaded.set(id, ativo ? name : `${name} (inativa)`);
    }
    names = loaded;
    onNames();
  };

  /** Loads all parts of a view. An unchanged part is the same object as before. @param {View} view @param {AbortSignal} signal */
  const load = async (view, signal) => {
    const path = previousPath(view);
    /** @type {Gap[]} */
    const gaps = [];
    /** Records a failed request as a gap. @type {<T>(message: string, part: Promise<T>) => Promise<T | undefined>} */
    const orGap = (message, part) =>
      part.catch((error) => {
        if (!(error instanceof RequestError)) throw error;
        gaps.push([message, error]);
        return undefined;
      });
    const [panel, freshness, summary, units] = await Promise.all([
      /** @type {Promise<Panel>} */ (service.get(panelPath(view), PANEL_FIELDS, signal)),
      orGap(
        "Não foi possível verificar a atualização dos dados.",
        /** @type {Promise<Freshness>} */ (service.get("/v1/frescor", ["data", "catalogo"], signal)),
      ),
      lastSummary?.path === path
        ? lastSummary.summary
        : orGap(
            "Período anterior indisponível.",
            /** @type {Promise<Summary>} */ (service.get(path, ["transacoes"], signal)),
          ),
      names
        ? undefined
        : orGap(
            "Nomes das unidades indisponíveis.",
            /** @type {Promise<{ data: Unit[] }>} */ (service.get("/v1/estabelecimentos", ["data"], signal)),
          ),
    ]);
    if (summary) lastSummary = { path, summary };
    if (units) setNames(units.data);
    return { panel, freshness, previous: summary, names, gaps };
  };

  /** Drops cached responses, so that the next requests have no `If-None-Match`. Keeps the unit names. */
  const clearCache = () => {
    service.clear();
    lastSummary = undefined;
  };

  const clear = () => {
    clearCache();
    names = undefined;
  };

  return { load, names: () => names, quotaWaitMs: service.quotaWaitMs, clearCache, clear };
};
