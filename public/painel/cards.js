// The cards that are requested when period or unit change, and then every ten minutes.
import { byId } from "../session.js";
import { fill, toggleCard } from "./card.js";
import { showClients, showHours, showProduction, showServices, showUnmapped } from "./card-tables.js";
import { chosenCentre, showPayments } from "./payments.js";
import { isStore } from "./picture.js";
import { earlierRangeOf, panelPath, paymentRanges, rangeOf, reportPath, stepOf } from "./ranges.js";
import { RequestError } from "./service.js";
import { h, skeleton } from "./table.js";
import { dayCount, elapsedDays, searchOf } from "./view.js";
import { REASONS } from "./words.js";

/**
 * @typedef {import("./answers.js").Picture} Picture
 * @typedef {import("./answers.js").Unit} Unit
 * @typedef {import("./service.js").Service} Service
 * @typedef {import("./view.js").View} View
 * @typedef {import("../tokens.js").Rights} Rights
 * @typedef {object} Context what the cards know beside their responses
 * @property {Picture} picture
 * @property {(id: string) => string} nameOf the name of a unit
 * @property {(id: string | null) => string} centreName the name of a cost centre
 * @property {Unit[]} units
 * @property {Rights | undefined} rights
 * @property {import("./download.js").Offer} offer
 * @typedef {object} Card
 * @property {string} id of the element that it fills
 * @property {(context: Context) => boolean} isShown whether the view has this card, and the user may see it
 * @property {(view: View) => string[]} pathsOf
 * @property {string[]} fields lists that each body must have
 * @property {(context: Context) => string | undefined} fileOf what `Baixar` downloads; undefined if `show` offers a table
 * @property {(bodies: any, context: Context) => void} show
 */

/** A longer range has no report on clients. */
const MAX_CLIENT_DAYS = 400;
const ALL_SERVICES = { limite: "200" };

const hasVisits = (/** @type {Context} */ { picture }) => !isStore(picture);
/** The path of a report in the period. @param {string} name @param {Record<string, string>} [query] */
const report = (name, query) => (/** @type {View} */ view) =>
  reportPath(name, { ...rangeOf(view), ...query });
/** @param {(view: View) => string} pathOf @returns {(context: Context) => string} */
const fileAt =
  (pathOf) =>
  ({ picture }) =>
    pathOf(picture.view);

const production = report("producao-por-profissional");
const services = report("servicos", ALL_SERVICES);
const hours = report("transacoes-por-horario");

/** @param {Context} context */
const paymentsFile = ({ picture: { view }, units }) => {
  const centre = chosenCentre(view, units);
  const { data_fim } = paymentRanges(view).due;
  const query = { situacao: "1", data_fim, ...(centre && { id_centro_custo: centre }) };
  return `/v1/pagamentos-erp?${new URLSearchParams(query)}`;
};

/** @type {Card[]} */
const CARDS = [
  {
    id: "professionals",
    isShown: hasVisits,
    pathsOf: (view) => [production(view)],
    fields: ["data"],
    fileOf: fileAt(production),
    show: showProduction,
  },
  {
    id: "services",
    isShown: hasVisits,
    pathsOf: (view) => {
      const earlier = earlierRangeOf(view);
      return [services(view), ...(earlier ? [reportPath("servicos", { ...earlier, ...ALL_SERVICES })] : [])];
    },
    fields: ["data"],
    fileOf: fileAt(services),
    show: showServices,
  },
  {
    id: "hours",
    isShown: (context) => hasVisits(context) && stepOf(context.picture.view) !== "hora",
    pathsOf: (view) => [hours(view)],
    fields: ["data"],
    fileOf: fileAt(hours),
    show: showHours,
  },
  {
    id: "clients",
    isShown: (context) =>
      hasVisits(context) && dayCount(elapsedDays(context.picture.view)) <= MAX_CLIENT_DAYS,
    pathsOf: (view) => [reportPath("clientes", rangeOf(view))],
    fields: [],
    fileOf: () => undefined,
    show: showClients,
  },
  {
    id: "payments",
    // A unit without a cost centre has no payments of its own.
    isShown: ({ picture, units, rights }) =>
      (rights?.payments ?? false) && chosenCentre(picture.view, units) !== null,
    pathsOf: (view) => {
      const { overdue, due } = paymentRanges(view);
      return [overdue, due].map((range) =>
        reportPath("pagamentos-por-centro-custo", { ...range, situacao: "1" }),
      );
    },
    fields: ["data"],
    fileOf: paymentsFile,
    show: showPayments,
  },
  {
    id: "unmapped",
    isShown: hasVisits,
    pathsOf: (view) => [reportPath("nao-mapeados", rangeOf(view))],
    fields: ["profissionais", "estabelecimentos"],
    fileOf: () => undefined,
    show: showUnmapped,
  },
];

const nothing = (/** @type {string} */ text) => h("p", { class: "nothing" }, text);

/** @param {Service} service */
export const openCards = (service) => {
  /** What each card was drawn from. It is left alone while that is the same, with its opened rows. @type {Map<string, readonly unknown[]>} */
  const drawn = new Map();
  /** The cards whose last request failed. @type {Set<string>} */
  const failed = new Set();

  /** @param {Card} card @param {unknown[]} bodies @param {Context} context */
  const draw = ({ id, show, fileOf }, bodies, context) => {
    const { view, details } = context.picture;
    const source = [searchOf(view), panelPath(view), details.known, context.units.length, ...bodies];
    const last = drawn.get(id);
    if (last?.length === source.length && source.every((part, index) => part === last[index])) return;
    context.offer(id, fileOf(context));
    drawn.set(id, source);
    try {
      show(bodies, context);
    } catch {
      drawn.delete(id);
      fill(id, nothing(REASONS.unreadable));
    }
  };

  /** Draws a card from memory, or shows that it is on its way. @returns whether it was in memory @param {Card} card @param {Context} context */
  const recall = (card, context) => {
    const bodies = card.pathsOf(context.picture.view).map((path) => service.recall(path));
    if (bodies.every(Boolean)) {
      draw(card, bodies, context);
      return true;
    }
    drawn.delete(card.id);
    context.offer(card.id, card.fileOf(context));
    fill(card.id, skeleton());
    return false;
  };

  const shownCards = (/** @type {Context} */ context) => CARDS.filter((card) => card.isShown(context));

  /** Draws the cards from memory. @param {Context} context */
  const show = (context) => {
    const cards = shownCards(context);
    for (const card of CARDS) toggleCard(card.id, cards.includes(card));
    for (const card of cards) recall(card, context);
  };

  /**
   * Requests the cards that are missing or failed, and draws each when its responses arrive.
   * @param {Context} context
   * @param {AbortSignal} signal
   * @param {boolean} isDue whether to request all of them
   */
  const load = (context, signal, isDue) =>
    Promise.all(
      shownCards(context).map(async (card) => {
        const { id, fields } = card;
        const isKnown = recall(card, context);
        if (!isDue && isKnown && !failed.has(id)) return;
        try {
          const paths = card.pathsOf(context.picture.view);
          const bodies = await Promise.all(paths.map((path) => service.get(path, fields, signal)));
          failed.delete(id);
          draw(card, bodies, context);
        } catch (error) {
          if (!(error instanceof RequestError)) throw error;
          failed.add(id);
          drawn.delete(id);
          // The last data stay.
          if (!isKnown) fill(id);
          byId(id).append(nothing(`Não foi possível carregar. ${REASONS[error.reason]}`));
        }
      }),
    );

  const clear = () => {
    drawn.clear();
    failed.clear();
  };
  return { show, load, clear };
};
