// Loads a view in parallel requests. Only the panel itself is required: other parts may be missing.
import { loadDetails } from "./details.js";
import { openMemory } from "./memory.js";
import { panelPath } from "./ranges.js";
import { openService, RequestError } from "./service.js";
import { nameOr } from "./table.js";

/**
 * @typedef {import("./picture.js").Panel} Panel
 * @typedef {import("./freshness.js").Freshness} Freshness
 * @typedef {import("./view.js").View} View
 * @typedef {import("./revenue.js").Sales} Sales
 * @typedef {import("./bars.js").Hours} Hours
 * @typedef {import("./reports.js").Report<{ produto_id: string | null, produto_nome: string | null }, import("./reports.js").ProductMeasures>} Products
 * @typedef {Map<string, string>} Names unit names by `estabelecimento_id`
 * @typedef {[message: string, error: RequestError]} Gap a part that failed to load
 * @typedef {import("zod").output<typeof import("../../src/v1/estabelecimentos/schemas.ts").Estabelecimento>} Unit
 * @typedef {object} Details what the panel's report does not contain; a part that failed to load is undefined
 * @property {Sales | undefined} sales
 * @property {Products | undefined} products those that sold most
 * @property {{ visits: Set<string>, sales: Set<string> } | undefined} known units with data when the earlier period began
 * @property {number | undefined} pending visits of all periods that were not sent to the ERP
 * @property {Hours | undefined} hours of a single day
 * @typedef {object} Picture
 * @property {View} view
 * @property {Panel} panel
 * @property {Freshness | undefined} freshness
 * @property {Details} details
 * @property {boolean} isComplete
 * @property {number} at when it was loaded, by `Date.now()`
 */

const PANEL_FIELDS = ["resumo", "por_periodo", "por_estabelecimento", "por_forma_pagamento"];
/** Pictures kept in memory. */
const MAX_PICTURES = 12;

/** The units that the user may read, and their names. @param {() => void} onNames called when they are loaded */
const openUnits = (onNames) => {
  /** @type {Unit[] | undefined} */
  let units;
  /** @type {Names | undefined} */
  let names;
  return {
    /** @param {Unit[]} loaded */
    set: (loaded) => {
      units = loaded;
      names = new Map();
      for (const { salon_id: id, nome, ativo } of loaded) {
        const name = nameOr(nome, `Unidade ${id}`);
        if (id !== null) names.set(id, ativo ? name : `${name} (inativa)`);
      }
      onNames();
    },
    clear: () => {
      units = undefined;
      names = undefined;
    },
    all: () => units,
    names: () => names,
    /** The name of a cost centre: that of its unit. @param {string | null} id */
    centreName: (id) =>
      id === null
        ? "Sem centro de custo"
        : (units?.find((unit) => String(unit.erp_centro_custo_id) === id)?.nome ?? `Centro de custo ${id}`),
  };
};

/** @param {import("../session.js").Session} session @param {() => void} onNames called when unit names are loaded */
export const openAnswers = (session, onNames) => {
  const service = openService(session);
  const units = openUnits(onNames);
  /** @type {ReturnType<typeof openMemory<Picture>>} */
  const pictures = openMemory(MAX_PICTURES);

  /**
   * Loads a view. An unchanged part is the same object as before. If panel and freshness are unchanged, so are the
   * details: they are requested only when one of the two has changed, or when due.
   * @param {View} view
   * @param {AbortSignal} signal
   * @param {boolean} isDue
   */
  const load = async (view, signal, isDue) => {
    /** @type {Gap[]} */
    const gaps = [];
    /** @type {import("./details.js").OrGap} */
    const orGap = (message, part) =>
      part.catch((error) => {
        if (!(error instanceof RequestError)) throw error;
        gaps.push([message, error]);
        return undefined;
      });
    const last = pictures.get(panelPath(view));
    const now = () => loadDetails(service, view, signal, orGap);
    const [panel, freshness, loadedUnits, early] = await Promise.all([
      /** @type {Promise<Panel>} */ (service.get(panelPath(view), PANEL_FIELDS, signal)),
      orGap(
        "Não foi possível verificar a atualização dos dados.",
        /** @type {Promise<Freshness>} */ (service.get("/v1/frescor", ["data", "catalogo"], signal)),
      ),
      units.all()
        ? undefined
        : orGap(
            "Nomes das unidades indisponíveis.",
            /** @type {Promise<{ data: Unit[] }>} */ (service.get("/v1/estabelecimentos", ["data"], signal)),
          ),
      isDue || !last?.isComplete ? now() : undefined,
    ]);
    if (loadedUnits) units.set(loadedUnits.data);
    const isSame = last?.panel === panel && last.freshness === freshness;
    const details = early ?? (isSame && last ? last.details : await now());
    const isComplete = gaps.length === 0;
    const picture = { view, panel, freshness, details, isComplete, at: Date.now() };
    return { gaps, picture: pictures.keep(panelPath(view), picture) };
  };

  /** Drops cached responses, so that the next requests have no `If-None-Match`. Keeps the units. */
  const clearMemory = () => {
    service.clearMemory();
    pictures.clear();
  };

  return {
    load,
    /** The last picture of a view, from memory. @param {View} view */
    recall: (view) => pictures.get(panelPath(view)),
    service,
    units,
    clearMemory,
    clear: () => {
      service.clear();
      pictures.clear();
      units.clear();
    },
  };
};

/** @typedef {ReturnType<typeof openAnswers>} Answers */
