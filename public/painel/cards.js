// The cards that are requested when period or unit change, and then every ten minutes.

import { showClients, showHours, showProduction, showServices, showUnmapped } from "./card-tables.js";
import { showPayments } from "./payments.js";
import { earlierRangeOf, paymentRanges, rangeOf, reportPath, stepOf } from "./ranges.js";
import { RequestError } from "./service.js";
import { fill, isStore, toggleCard } from "./show.js";
import { h, skeleton } from "./table.js";
import { dayCount, elapsedDays } from "./view.js";
import { REASONS } from "./words.js";

/**
 * @typedef {import("./answers.js").Picture} Picture
 * @typedef {import("../tokens.js").Rights} Rights
 * @typedef {object} Context what the cards know beside their responses
 * @property {Picture} picture
 * @property {(id: string) => string} nameOf the name of a unit
 * @property {import("./answers.js").Unit[]} units
 * @property {import("./download.js").Offer} offer
 * @typedef {object} Card
 * @property {string} id of the element that it fills
 * @property {string[]} paths
 * @property {string[]} fields lists that each body must have
 * @property {(bodies: any, context: Context) => void} show
 */

/** A range of more days has no report on clients. */
const MAX_CLIENT_DAYS = 400;
/** The cards of a view that the user may see. @param {Picture} picture @param {Rights | undefined} rights @returns {Card[]} */
const cardsOf = (picture, rights) => {
  const { view } = picture;
  const [range, earlier] = [rangeOf(view), earlierRangeOf(view)];
  const services = (/** @type {Record<string, string>} */ of) =>
    reportPath("servicos", { ...of, limite: "200" });
  const costs = (/** @type {Record<string, string>} */ of) =>
    reportPath("pagamentos-por-centro-custo", { ...of, situacao: "1" });
  const { overdue, due } = paymentRanges(view);
  /** @type {(Card & { isShown: boolean })[]} */
  const cards = [
    {
      id: "professionals",
      isShown: !isStore(picture),
      paths: [reportPath("producao-por-profissional", range)],
      fields: ["data"],
      show: showProduction,
    },
    {
      id: "services",
      isShown: !isStore(picture),
      paths: [services(range), ...(earlier ? [services(earlier)] : [])],
      fields: ["data"],
      show: showServices,
    },
    {
      id: "hours",
      isShown: !isStore(picture) && stepOf(view) !== "hora",
      paths: [reportPath("transacoes-por-horario", range)],
      fields: ["data"],
      show: showHours,
    },
    {
      id: "clients",
      isShown: !isStore(picture) && dayCount(elapsedDays(view)) <= MAX_CLIENT_DAYS,
      paths: [reportPath("clientes", range)],
      fields: [],
      show: showClients,
    },
    {
      id: "payments",
      isShown: rights?.payments ?? false,
      paths: [costs(overdue), costs(due)],
      fields: ["data"],
      show: showPayments,
    },
    {
      id: "unmapped",
      isShown: !isStore(picture),
      paths: [reportPath("nao-mapeados", range)],
      fields: ["profissionais", "estabelecimentos"],
      show: showUnmapped,
    },
  ];
  for (const { id, isShown } of cards) toggleCard(id, isShown);
  return cards.filter(({ isShown }) => isShown);
};

/** @param {Card} card @param {unknown[]} bodies @param {Context} context */
const draw = ({ id, show }, bodies, context) => {
  try {
    show(bodies, context);
  } catch {
    fill(id, h("p", { class: "nothing" }, REASONS.unreadable));
  }
};

/**
 * Draws each card when its responses arrive, and until then from memory.
 * @param {import("./service.js").Service} service
 * @param {Rights | undefined} rights
 * @param {Context} context
 * @param {AbortSignal} signal
 * @param {boolean} isDue whether to request them; without it they are drawn again from memory
 * @returns {Promise<{ waitMs: number, hasFailed: boolean }>}
 */
export const showCardTables = async (service, rights, context, signal, isDue) => {
  const failures = await Promise.all(
    cardsOf(context.picture, rights).map(async (card) => {
      const { id, paths, fields } = card;
      const old = paths.map((path) => service.recall(path));
      if (old.every(Boolean)) draw(card, old, context);
      else fill(id, skeleton());
      if (!isDue && old.every(Boolean)) return [];
      try {
        const bodies = await Promise.all(paths.map((path) => service.get(path, fields, signal)));
        if (bodies.some((body, index) => body !== old[index])) draw(card, bodies, context);
        return [];
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        fill(id, h("p", { class: "nothing" }, `Não foi possível carregar. ${REASONS[error.reason]}`));
        return [error];
      }
    }),
  );
  const errors = failures.flat();
  return { waitMs: Math.max(0, ...errors.map((error) => error.waitMs)), hasFailed: errors.length > 0 };
};
