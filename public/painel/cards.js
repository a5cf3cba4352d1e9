// The cards that are requested when period or unit change, and then every ten minutes.
import { byId } from "../session.js";
import { fill, toggleCard } from "./card.js";
import { CARDS } from "./card-list.js";
import { panelPath } from "./ranges.js";
import { RequestError } from "./service.js";
import { h, skeleton } from "./table.js";
import { searchOf } from "./view.js";
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
 * @typedef {import("./card-list.js").Card} Card
 */

const nothing = (/** @type {string} */ text) => h("p", { class: "nothing" }, text);

/** @param {Service} service */
export const openCards = (service) => {
  /** What each card was drawn from. It is left alone while that is the same, with its opened rows. @type {Map<string, readonly unknown[]>} */
  const drawn = new Map();
  /** The cards whose last request failed. @type {Set<string>} */
  const failed = new Set();

  /** @param {Card} card @param {unknown[]} bodies @param {Context} context */
  const draw = ({ id, show, fileOf, file }, bodies, context) => {
    const { view, details } = context.picture;
    const source = [searchOf(view), panelPath(view), details.known, context.units.length, ...bodies];
    const last = drawn.get(id);
    if (last?.length === source.length && source.every((part, index) => part === last[index])) return;
    context.offer(id, fileOf(context), file);
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
    const bodies = card.pathsOf(context).map((path) => service.recall(path));
    if (bodies.every(Boolean)) {
      draw(card, bodies, context);
      return true;
    }
    drawn.delete(card.id);
    context.offer(card.id, card.fileOf(context), card.file);
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
          const paths = card.pathsOf(context);
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
