// Everything a view needs, asked for at once. What is beside the panel may be missing.
import { openService, Unanswered } from "./service.js";
import { nameOr } from "./table.js";
import { beforePath, panelPath } from "./view.js";

/**
 * @typedef {import("./show.js").Panel} Panel
 * @typedef {import("./show.js").Summary} Summary
 * @typedef {import("./freshness.js").Freshness} Freshness
 * @typedef {import("./view.js").View} View
 * @typedef {Map<string, string>} Names of units by the id that visits have
 * @typedef {[said: string, why: Unanswered]} Gap a part that was not answered
 * @typedef {import("zod").output<typeof import("../../v1/estabelecimentos/schemas.ts").Estabelecimento>} Unit
 */

const PANEL_FIELDS = [
  "resumo",
  "por_periodo",
  "por_estabelecimento",
  "por_forma_pagamento",
  "por_profissional",
  "vendas_por_produto",
];

/** @param {import("../session.js").Session} session @param {() => void} learned is called when the names of units are known */
export const openAnswers = (session, learned) => {
  const service = openService(session);
  /** What the period before was, by its path: it is asked once a view. @type {{ path: string, summary: Summary } | undefined} */
  let past;
  /** @type {Names | undefined} */
  let names;

  /** @param {Unit[]} list */
  const learn = (list) => {
    /** @type {Names} */
    const learnt = new Map();
    for (const { salon_id: id, nome, ativo } of list) {
      const name = nameOr(nome, `Unidade ${id}`);
      if (id !== null) learnt.set(id, ativo ? name : `${name} (inativa)`);
    }
    names = learnt;
    learned();
  };

  /** Asks for all that the view needs; what has not changed is the same object as before. @param {View} view @param {AbortSignal} signal */
  const ask = async (view, signal) => {
    const path = beforePath(view);
    /** @type {Gap[]} */
    const gaps = [];
    /** The panel is what somebody waits for: of the rest there may be less. @type {<T>(said: string, part: Promise<T>) => Promise<T | undefined>} */
    const orGap = (said, part) =>
      part.catch((error) => {
        if (!(error instanceof Unanswered)) throw error;
        gaps.push([said, error]);
        return undefined;
      });
    const [panel, fresh, summary, list] = await Promise.all([
      /** @type {Promise<Panel>} */ (service.ask(panelPath(view), PANEL_FIELDS, signal)),
      orGap(
        "Não foi possível verificar a atualização dos dados.",
        /** @type {Promise<Freshness>} */ (service.ask("/v1/frescor", ["data", "catalogo"], signal)),
      ),
      past?.path === path
        ? past.summary
        : orGap(
            "Período anterior indisponível.",
            /** @type {Promise<Summary>} */ (service.ask(path, ["transacoes"], signal)),
          ),
      names
        ? undefined
        : orGap(
            "Nomes das unidades indisponíveis.",
            /** @type {Promise<{ data: Unit[] }>} */ (service.ask("/v1/estabelecimentos", ["data"], signal)),
          ),
    ]);
    if (summary) past = { path, summary };
    if (list) learn(list.data);
    return { panel, fresh, past: summary, names, gaps };
  };

  /** What was answered could not be drawn: it is not asked about by its ETag. Names stay. */
  const distrust = () => {
    service.forget();
    past = undefined;
  };

  const forget = () => {
    distrust();
    names = undefined;
  };

  return { ask, names: () => names, untilRoomMs: service.untilRoomMs, distrust, forget };
};
