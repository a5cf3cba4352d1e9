// Fills, shows and hides the cards of the panel.
import { byId } from "../session.js";

/** @typedef {import("./table.js").Child} Child */

export const fill = (/** @type {string} */ id, /** @type {Child[]} */ ...children) =>
  byId(id).replaceChildren(...children);

/** Shows or hides the card that contains an element, and the link to it. @param {string} id @param {boolean} isShown */
export const toggleCard = (id, isShown) => {
  const jump = document.querySelector(`[data-jump="${id}"]`);
  for (const part of [byId(id).closest("section"), jump])
    if (part instanceof HTMLElement) part.hidden = !isShown;
};
