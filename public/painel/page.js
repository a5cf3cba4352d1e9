// The page: signs in, shows the view in the URL, and reloads it once a minute while the page is visible.
import { byId, openSession } from "../session.js";
import { openAnswers } from "./answers.js";
import { openDownloads } from "./download.js";
import { openDrawing } from "./drawing.js";
import { currentView, openForm, openLastUnit } from "./form.js";
import { atTime, days, time } from "./format.js";
import { readList } from "./links.js";
import { panelPath } from "./ranges.js";
import { showRecords } from "./records.js";
import { onNavigation } from "./router.js";
import { RequestError } from "./service.js";
import { openSessions } from "./sessions.js";
import { openSharing } from "./share.js";
import { nameOr } from "./table.js";
import { elapsedDays } from "./view.js";
import { allUnits, INVALID_PERIOD, MESSAGES, OUTSIDE_UNIT, REASONS } from "./words.js";

/** @typedef {import("./view.js").View} View */

const MINUTE_MS = 60_000;
/** The cards, and what the panel's report does not contain, are requested this often. */
const DETAILS_MS = 600_000;
/** The retry after a lost connection, if the chosen view is not shown yet. */
const RETRY_MS = 10_000;

/** @type {AbortController | undefined} */
let controller;
/** @type {AbortController | undefined} */
let listController;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** When the page refreshes, by `performance.now()`. */
let nextLoad = 0;
/** The view that was last loaded with all its cards, and when. */
let fullLoad = { path: "", at: 0 };
let isSignedIn = false;

// `answers` is defined below; nothing reads it before the sign-in.
const nameOf = (/** @type {string} */ id) => nameOr(answers.units.names()?.get(id), `Unidade ${id}`);
const unitName = (/** @type {string} */ id) => (id ? nameOf(id) : allUnits(allowed()));
const notify = (/** @type {string[]} */ ...sentences) => {
  const notice = sentences.filter(Boolean).join(" ");
  byId("notice").textContent = notice;
  byId("notice").hidden = notice === "";
};

/** The units that the user may read; null means all. */
const allowed = () => session.rights()?.units ?? null;
const form = openForm({ units: () => answers.units.names(), nameOf, allowed, onChange: () => route() });
const session = openSession(MESSAGES, { begin: () => begin(), end: () => end() });
const answers = openAnswers(session, () => route(false));
const closeSessions = openSessions(session);
const downloads = openDownloads(answers.service, notify);
const drawing = openDrawing({
  nameOf,
  unitName,
  answers,
  rights: session.rights,
  offer: downloads.offer,
});

const loadIn = (/** @type {number} */ ms) => {
  nextLoad = performance.now() + ms;
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(() => void load(), ms);
};

const isShown = (/** @type {View} */ view) => drawing.shows(view);

/** The time of the displayed data, with its period and unit if another view is chosen. @param {View} view */
const displayText = (view) => {
  const displayed = drawing.picture();
  if (!displayed) return "";
  const what = ` (${days(elapsedDays(displayed.view))}, ${unitName(displayed.view.unit).toLowerCase()})`;
  return `Exibindo dados de ${time(new Date(displayed.at))}${isShown(view) ? "" : what}.`;
};

const retryText = (/** @type {number} */ ms) => `Nova tentativa ${atTime(new Date(Date.now() + ms))}.`;

/** What the page shows instead of the view in the URL. @param {View} view */
const substitutions = ({ isFallback, isOutside }) => [
  isFallback ? INVALID_PERIOD : "",
  isOutside ? OUTSIDE_UNIT : "",
];

/** Names the missing parts and schedules the next load. @param {View} view @param {import("./answers.js").Gap[]} gaps */
const finish = (view, gaps) => {
  const ms = Math.max(MINUTE_MS, answers.service.quotaWaitMs(), answers.service.blockedMs());
  loadIn(ms);
  const reasons = new Set(gaps.map(([, { reason }]) => REASONS[reason]));
  notify(
    ...substitutions(view),
    ...gaps.map(([message]) => message),
    ...reasons,
    gaps.length > 0 ? retryText(ms) : "",
  );
};

/** Keeps the displayed data, shows the error and schedules a retry. @param {RequestError} error @param {View} view the chosen view */
const fail = ({ reason, waitMs, message }, view) => {
  const ms = Math.max(waitMs, reason === "unreachable" && !isShown(view) ? RETRY_MS : MINUTE_MS);
  const text = `${REASONS[reason]}${reason === "refused" ? ` (${message})` : ""}`;
  drawing.updateAge();
  notify(...substitutions(view), text, displayText(view), retryText(ms));
  loadIn(ms);
};

/** A response that cannot be drawn counts as unreadable. @param {unknown} error */
const toRequestError = (error) => {
  if (error instanceof RequestError) return error;
  answers.clearMemory();
  return new RequestError("unreadable", 0);
};

/** @param {View} view @param {AbortSignal} signal */
const loadAndDraw = async (view, signal) => {
  const path = panelPath(view);
  const isDue = fullLoad.path !== path || performance.now() > fullLoad.at + DETAILS_MS;
  const { gaps, picture } = await answers.load(view, signal, isDue);
  if (signal.aborted) return;
  drawing.show(picture);
  if (byId("records").hidden) drawing.showTitle();
  await drawing.loadCards(signal, isDue);
  if (signal.aborted) return;
  if (isDue) fullLoad = { path, at: performance.now() };
  finish(view, gaps);
};

const load = async () => {
  if (!isSignedIn) return;
  const view = currentView(allowed());
  const waitMs = answers.service.blockedMs();
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
  const remembered = isShown(view) ? undefined : answers.recall(view);
  if (remembered) drawing.show(remembered);
  byId("panel").classList.toggle("old", drawing.picture() !== undefined && !isShown(view));
  try {
    await loadAndDraw(view, own.signal);
  } catch (error) {
    if (own.signal.aborted || !isSignedIn) return;
    fail(toRequestError(error), view);
  } finally {
    if (controller === own) byId("panel").setAttribute("aria-busy", "false");
    if (controller === own) byId("panel").classList.remove("old");
  }
};

/** Shows the view or the list in the URL. @param {boolean} [mayLoad] false to show it again with the names of units */
const route = (mayLoad = true) => {
  if (!isSignedIn) return;
  form.show();
  const view = currentView(allowed());
  const list = readList(location.search, view, allowed());
  const isBack = list === undefined && !byId("records").hidden;
  byId("overview").hidden = list !== undefined;
  byId("records").hidden = list === undefined;
  listController?.abort();
  if (list) {
    listController = new AbortController();
    const hasPersonalData = session.rights()?.personalData ?? false;
    const context = { view, nameOf: unitName, centreName: answers.units.centreName, hasPersonalData };
    if (mayLoad) byId("records-title").focus({ preventScroll: true });
    if (mayLoad) notify(...substitutions(view));
    void showRecords(answers.service, list, context, downloads.offer, listController.signal);
  } else if (isShown(view)) drawing.showTitle();
  if (isBack) byId("title").focus({ preventScroll: true });
  // A list does not need the panel, but the names of the units.
  if (mayLoad && (!list || !drawing.picture())) void load();
};

const begin = () => {
  isSignedIn = true;
  openLastUnit(allowed());
  drawing.showSkeletons();
  route();
  byId("title").focus({ preventScroll: true });
};

const end = () => {
  isSignedIn = false;
  closeSessions();
  controller?.abort();
  listController?.abort();
  clearTimeout(timer);
  answers.clear();
  downloads.clear();
  fullLoad = { path: "", at: 0 };
  drawing.clear();
  notify("");
};

byId("now").addEventListener("click", () => {
  if (!byId("records").hidden) route(false);
  void load();
});
addEventListener("online", () => void load());
onNavigation(() => route());
openSharing(notify);
document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (document.hidden || !isSignedIn) return;
  drawing.updateAge();
  // A load is on its way, and schedules the next one.
  if (byId("panel").getAttribute("aria-busy") === "true") return;
  loadIn(Math.max(0, nextLoad - performance.now()));
});
setInterval(() => {
  if (!document.hidden) drawing.updateAge();
}, MINUTE_MS);
