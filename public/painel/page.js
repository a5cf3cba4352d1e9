// The page: signs in, loads the view in the URL, and reloads it once a minute while the page is visible.
import { byId, openSession } from "../session.js";
import { openAnswers } from "./answers.js";
import { openChart } from "./chart.js";
import { currentView, openForm } from "./form.js";
import { atTime, dayAndTime, days, time } from "./format.js";
import { showFreshness } from "./freshness.js";
import { RequestError } from "./service.js";
import { showPanel } from "./show.js";
import { nameOr } from "./table.js";
import { isByMonth, panelPath } from "./view.js";
import { allUnits, INVALID_PERIOD, MESSAGES, OUTSIDE_UNIT, REASONS } from "./words.js";

/**
 * @typedef {import("./freshness.js").Freshness} Freshness
 * @typedef {import("./view.js").View} View
 * @typedef {object} Display what the page shows; a part that failed to load is undefined
 * @property {View} view
 * @property {import("./show.js").Panel} panel
 * @property {import("./show.js").Summary | undefined} previous the previous period
 * @property {Freshness | undefined} freshness
 * @property {import("./answers.js").Names | undefined} names
 * @property {Date} at when it was loaded
 */

const MINUTE_MS = 60_000;
/** The retry after a lost connection, if the chosen view is not shown yet. */
const RETRY_MS = 10_000;

/** @type {Display | undefined} */
let displayed;
/** When each freshness response arrived, by `Date.now()`: it includes the time a laptop sleeps. @type {WeakMap<Freshness, number>} */
const receivedAt = new WeakMap();
/** @type {AbortController | undefined} */
let controller;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** By `performance.now()`: the page sends no request before the first, and reloads at the second. */
let [notBefore, nextLoad] = [0, 0];
let isSignedIn = false;

// `answers` is defined below; nothing reads it before the sign-in.
const nameOf = (/** @type {string} */ id) => nameOr(answers.names()?.get(id), `Unidade ${id}`);
const notify = (/** @type {string[]} */ ...sentences) => {
  const notice = sentences.filter(Boolean).join(" ");
  byId("notice").textContent = notice;
  byId("notice").hidden = notice === "";
};

const chart = openChart(byId("chart"), byId("readout"));
/** The units that the user may read; null means all. */
const allowed = () => session.rights()?.units ?? null;
const form = openForm({ units: () => answers.names(), nameOf, allowed, onChange: () => void load() });
const session = openSession(MESSAGES, { begin: () => begin(), end: () => end() });
const answers = openAnswers(session, () => form.show());

const loadIn = (/** @type {number} */ ms) => {
  nextLoad = performance.now() + ms;
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(() => void load(), ms);
};

const isShown = (/** @type {View} */ view) =>
  displayed !== undefined && panelPath(displayed.view) === panelPath(view);

/** The time of the displayed data, with its period and unit if another view is chosen. @param {View} view */
const displayText = (view) => {
  if (!displayed) return "";
  const { unit } = displayed.view;
  const what = ` (${days(displayed.view)}, ${unit ? nameOf(unit) : allUnits(allowed()).toLowerCase()})`;
  return `Exibindo dados de ${time(displayed.at)}${isShown(view) ? "" : what}.`;
};

const retryText = (/** @type {number} */ ms) => `Nova tentativa ${atTime(new Date(Date.now() + ms))}.`;

/** Redraws the freshness with the current delays. */
const updateFreshness = () => {
  if (!displayed) return;
  const { freshness } = displayed;
  const received = (freshness && receivedAt.get(freshness)) ?? Date.now();
  if (freshness) receivedAt.set(freshness, received);
  const elapsed = Math.max(0, Math.floor((Date.now() - received) / 1000));
  showFreshness(freshness, displayed.panel.resumo.jobs_ultimas_24h, elapsed, nameOf);
};

/** @param {Display} next */
const draw = (next) => {
  showPanel(next.view, next.panel, next.previous, (id) => (id ? nameOf(id) : allUnits(allowed())));
  chart.show(next.panel.por_periodo.data, isByMonth(next.view));
};

/** @param {Display} next */
const show = (next) => {
  const last = displayed;
  displayed = next;
  try {
    const isSame = last?.panel === next.panel && last.previous === next.previous && last.names === next.names;
    if (!isSame || panelPath(last.view) !== panelPath(next.view)) draw(next);
    updateFreshness();
  } catch (error) {
    // Restore the previous data, so that the page is never half drawn.
    displayed = last;
    if (last) draw(last);
    throw error;
  }
  byId("panel").hidden = false;
  byId("as-of").textContent = `Atualizado em ${dayAndTime(next.at)}`;
};

/** Names the missing parts and schedules the next load. @param {View} view @param {import("./answers.js").Gap[]} gaps */
const finish = (view, gaps) => {
  const blockedMs = Math.max(0, ...gaps.map(([, { waitMs }]) => waitMs));
  const ms = Math.max(MINUTE_MS, answers.quotaWaitMs(), blockedMs);
  notBefore = performance.now() + blockedMs;
  loadIn(ms);
  notify(
    view.isFallback ? INVALID_PERIOD : "",
    view.isOutside ? OUTSIDE_UNIT : "",
    ...gaps.map(([message, { reason }]) => `${message} ${REASONS[reason]}`),
    gaps.length > 0 ? retryText(ms) : "",
  );
};

/** Keeps the displayed data, shows the error and schedules a retry. @param {RequestError} error @param {View} view the chosen view */
const fail = ({ reason, waitMs, message }, view) => {
  notBefore = performance.now() + waitMs;
  const ms = Math.max(waitMs, reason === "unreachable" && !isShown(view) ? RETRY_MS : MINUTE_MS);
  const text = `${REASONS[reason]}${reason === "refused" ? ` (${message})` : ""}`;
  updateFreshness();
  notify(view.isFallback ? INVALID_PERIOD : "", text, displayText(view), retryText(ms));
  loadIn(ms);
};

/** A response that cannot be drawn counts as unreadable. @param {unknown} error */
const toRequestError = (error) => {
  if (error instanceof RequestError) return error;
  answers.clearCache();
  return new RequestError("unreadable", 0);
};

const load = async () => {
  if (!isSignedIn) return;
  const view = currentView(allowed());
  const waitMs = notBefore - performance.now();
  if (waitMs > 0) {
    const until = atTime(new Date(Date.now() + waitMs));
    notify(`Muitas consultas seguidas. Nova atualização ${until}.`, displayText(view));
    loadIn(waitMs);
    return;
  }
  controller?.abort();
  const own = new AbortController();
  controller = own;
  clearTimeout(timer);
  byId("panel").setAttribute("aria-busy", "true");
  try {
    const { gaps, ...parts } = await answers.load(view, own.signal);
    if (own.signal.aborted) return;
    show({ view, ...parts, at: new Date() });
    finish(view, gaps);
  } catch (error) {
    if (own.signal.aborted || !isSignedIn) return;
    fail(toRequestError(error), view);
  } finally {
    if (controller === own) byId("panel").setAttribute("aria-busy", "false");
  }
};

const begin = () => {
  isSignedIn = true;
  // With a single unit, this table would repeat the totals.
  const card = byId("units").closest("section");
  if (card) card.hidden = allowed()?.length === 1;
  form.show();
  byId("title").focus();
  void load();
};

const end = () => {
  isSignedIn = false;
  controller?.abort();
  clearTimeout(timer);
  answers.clear();
  displayed = undefined;
  notBefore = 0;
  chart.clear();
  for (const element of document.querySelectorAll("[data-private]")) element.replaceChildren();
  byId("panel").hidden = true;
  document.title = "Painel";
  byId("title").textContent = "Painel";
  notify("");
};

byId("now").addEventListener("click", () => void load());
addEventListener("online", () => void load());
document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (document.hidden || !isSignedIn) return;
  updateFreshness();
  loadIn(Math.max(0, nextLoad - performance.now()));
});
setInterval(() => {
  if (!document.hidden) updateFreshness();
}, MINUTE_MS);
