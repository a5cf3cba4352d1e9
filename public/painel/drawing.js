// Draws a picture of a view: the data of all its parts, and what the page shows at the moment.
import { byId } from "../session.js";
import { barsOf } from "./bars.js";
import { openCards } from "./cards.js";
import { openChart } from "./chart.js";
import { atTime, days } from "./format.js";
import { showAge, showFreshness } from "./freshness.js";
import { listSearch } from "./links.js";
import { partOf, showPeriods } from "./period-table.js";
import { panelPath } from "./ranges.js";
import { link, skeleton } from "./table.js";
import { showForms, showProducts } from "./tables.js";
import { showTotals } from "./totals.js";
import { showUnits } from "./unit-table.js";
import { elapsedDays } from "./view.js";

/**
 * @typedef {import("./answers.js").Picture} Picture
 * @typedef {import("./freshness.js").Freshness} Freshness
 * @typedef {import("./view.js").View} View
 * @typedef {object} Page
 * @property {(id: string) => string} nameOf the name of a unit
 * @property {(id: string) => string} unitName the same, or the name of all if the id is empty
 * @property {import("./answers.js").Answers} answers
 * @property {() => import("../tokens.js").Rights | undefined} rights
 * @property {import("./download.js").Offer} offer
 */

const FRAMES = ".fits, .scrolls";

/** A table that is wider than its frame scrolls. Makes it focusable for the keyboard. */
const focusWideTables = () => {
  for (const frame of document.querySelectorAll(FRAMES)) {
    if (frame.scrollWidth > frame.clientWidth) frame.setAttribute("tabindex", "0");
    else frame.removeAttribute("tabindex");
  }
};

/** @param {ReturnType<typeof openChart>} chart @param {View} view @param {import("./bars.js").Bars} bars */
const drawChart = (chart, view, bars) => {
  const hasValues = bars.bars.some((bar) => bar.value !== 0 || (bar.earlier ?? 0) !== 0);
  byId("chart").hidden = !hasValues;
  if (hasValues) {
    chart.show(bars, (bar) =>
      link(listSearch(view, { name: "atendimentos", ...partOf(bar) }), "Ver atendimentos"),
    );
    return;
  }
  chart.clear();
  byId("readout").textContent = "Nenhum atendimento neste período.";
};

/** Shows that the figures are on their way. */
const showSkeletons = () => {
  byId("panel").hidden = false;
  for (const part of document.querySelectorAll("#panel [data-private]")) part.replaceChildren(skeleton());
};

/** @param {Page} page */
export const openDrawing = ({ nameOf, unitName, answers, rights, offer }) => {
  const chart = openChart(byId("chart"), byId("readout"));
  const cards = openCards(answers.service);
  const units = () => answers.units.all() ?? [];
  const sizes = new ResizeObserver(focusWideTables);
  for (const frame of document.querySelectorAll(FRAMES)) sizes.observe(frame);
  /** @type {Picture | undefined} */
  let displayed;
  /** The number of unit names in the drawn picture: it is drawn again when they arrive. */
  let unitCount = 0;
  /** When each freshness response arrived, by `Date.now()`: it includes the time a laptop sleeps. @type {WeakMap<Freshness, number>} */
  const receivedAt = new WeakMap();

  /** Redraws the freshness with the current delays. */
  const updateAge = () => {
    if (!displayed) return;
    const { freshness, panel } = displayed;
    const received = (freshness && receivedAt.get(freshness)) ?? Date.now();
    if (freshness) receivedAt.set(freshness, received);
    const elapsed = Math.max(0, Math.floor((Date.now() - received) / 1000));
    showAge(freshness, elapsed);
    showFreshness(freshness, panel.resumo.jobs_ultimas_24h, elapsed, nameOf, offer);
  };

  const showUnitTable = (/** @type {Picture} */ picture) =>
    showUnits(picture, offer, units(), rights()?.units?.length !== 1);
  byId("units-order").addEventListener("change", () => displayed && showUnitTable(displayed));

  /** @param {Picture} picture */
  const draw = (picture) => {
    const { view, panel, details } = picture;
    unitCount = units().length;
    showTotals(picture, unitName, (rights()?.units ?? null) !== null);
    const bars = barsOf(view, panel, details.hours);
    drawChart(chart, view, bars);
    byId("key-past").hidden = bars.bars.every((bar) => bar.earlier === undefined);
    showPeriods(picture, bars, offer);
    showUnitTable(picture);
    showForms(picture, offer);
    showProducts(picture, offer);
    focusWideTables();
  };

  /** @param {Picture} picture @returns {import("./cards.js").Context} */
  const contextOf = (picture) => ({
    picture,
    nameOf,
    centreName: answers.units.centreName,
    units: units(),
    rights: rights(),
    offer,
  });

  /** @param {Picture} next */
  const show = (next) => {
    const last = displayed;
    displayed = next;
    try {
      const isSame =
        last?.panel === next.panel && last.details === next.details && unitCount === units().length;
      if (!isSame || panelPath(last.view) !== panelPath(next.view)) draw(next);
      cards.show(contextOf(next));
      updateAge();
    } catch (error) {
      // Restore the previous data, so that the page is never half drawn.
      displayed = last;
      if (last) draw(last);
      else showSkeletons();
      throw error;
    }
    byId("as-of").textContent = `consultado ${atTime(new Date(next.at))}`;
  };

  /** Requests the cards of the picture. @param {AbortSignal} signal @param {boolean} isDue */
  const loadCards = async (signal, isDue) => {
    if (displayed) await cards.load(contextOf(displayed), signal, isDue);
    focusWideTables();
  };

  return {
    show,
    loadCards,
    updateAge,
    picture: () => displayed,
    shows: (/** @type {View} */ view) =>
      displayed !== undefined && panelPath(displayed.view) === panelPath(view),
    showTitle: () => {
      if (displayed) document.title = `Painel · ${days(elapsedDays(displayed.view))}`;
    },
    showSkeletons,
    clear: () => {
      displayed = undefined;
      chart.clear();
      cards.clear();
      byId("chart").removeAttribute("aria-label");
      for (const element of document.querySelectorAll("[data-private]")) element.replaceChildren();
      byId("panel").hidden = true;
      byId("stale").replaceChildren();
      byId("stale").hidden = true;
      document.title = "Painel";
      byId("title").textContent = "Painel";
    },
  };
};
