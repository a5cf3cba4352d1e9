// The page: signs in, asks for what the address names, and asks again once a minute while somebody looks.
import { byId, openSession } from "../session.js";
import { openAnswers } from "./answers.js";
import { openChart } from "./chart.js";
import { openForm, viewNow } from "./form.js";
import { atTime, dayAndTime, days, time } from "./format.js";
import { showFreshness } from "./freshness.js";
import { Unanswered } from "./service.js";
import { showPanel } from "./show.js";
import { nameOr } from "./table.js";
import { isByMonth, panelPath } from "./view.js";
import { MISREAD, REASONS, WORDS } from "./words.js";

/**
 * @typedef {import("./show.js").Panel} Panel
 * @typedef {import("./show.js").Summary} Summary
 * @typedef {import("./freshness.js").Freshness} Freshness
 * @typedef {import("./view.js").View} View
 * @typedef {object} Picture what stands there; undefined is what was not answered
 * @property {View} view
 * @property {Panel} panel
 * @property {Summary | undefined} past of the period before
 * @property {Freshness | undefined} fresh
 * @property {import("./answers.js").Names | undefined} names
 * @property {Date} at
 */

const MINUTE_MS = 60_000;
/** Where there is nothing to look at yet, somebody waits. */
const SOON_MS = 10_000;

/** @type {Picture | undefined} */
let picture;
/** When a freshness was told first, as `Date.now()` has it: while a laptop sleeps it grows older too. @type {WeakMap<Freshness, number>} */
const toldAt = new WeakMap();
/** @type {AbortController | undefined} */
let asking;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** On the clock of `performance`: not before this may be asked, and then is. */
let [notBefore, due] = [0, 0];
let isSignedIn = false;

// `answers` is opened below: nobody asks for names before somebody has signed in.
const nameOf = (/** @type {string} */ id) => nameOr(answers.names()?.get(id), `Unidade ${id}`);
const say = (/** @type {string[]} */ ...sentences) => {
  const notice = sentences.filter((one) => one !== "").join(" ");
  byId("notice").textContent = notice;
  byId("notice").hidden = notice === "";
};

const chart = openChart(byId("chart"), byId("readout"));
const form = openForm({ units: () => answers.names(), nameOf, look: () => void load() });
const session = openSession(WORDS, { begin: () => begin(), end: () => end() });
const answers = openAnswers(session, () => form.show());

const wait = (/** @type {number} */ ms) => {
  due = performance.now() + ms;
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(() => void load(), ms);
};

const isOf = (/** @type {View} */ view) =>
  picture !== undefined && panelPath(picture.view) === panelPath(view);

/** From when the picture is and, where that is not what was asked for, of what. @param {View} view */
const seen = (view) => {
  if (!picture) return "";
  const { unit } = picture.view;
  const what = ` (${days(picture.view)}, ${unit ? nameOf(unit) : "todas as unidades"})`;
  return `Exibindo dados de ${time(picture.at)}${isOf(view) ? "" : what}.`;
};

const again = (/** @type {number} */ ms) => `Nova tentativa ${atTime(new Date(Date.now() + ms))}.`;

/** Freshness grows old by itself. */
const age = () => {
  if (!picture) return;
  const { fresh } = picture;
  const told = (fresh && toldAt.get(fresh)) ?? Date.now();
  if (fresh) toldAt.set(fresh, told);
  const passed = Math.max(0, Math.floor((Date.now() - told) / 1000));
  showFreshness(fresh, picture.panel.resumo.jobs_ultimas_24h, passed, nameOf);
};

/** @param {Picture} next */
const draw = (next) => {
  showPanel(next.view, next.panel, next.past, nameOf);
  chart.show(next.panel.por_periodo.data, isByMonth(next.view));
};

/** @param {Picture} next */
const show = (next) => {
  const last = picture;
  picture = next;
  try {
    const isSame = last?.panel === next.panel && last.past === next.past && last.names === next.names;
    if (!isSame || panelPath(last.view) !== panelPath(next.view)) draw(next);
    age();
  } catch (error) {
    // What cannot be drawn leaves nothing half drawn.
    picture = last;
    if (last) draw(last);
    throw error;
  }
  byId("panel").hidden = false;
  byId("as-of").textContent = `Atualizado em ${dayAndTime(next.at)}`;
};

/** Tells of what is missing beside the panel, and when the next is asked for. @param {View} view @param {import("./answers.js").Gap[]} gaps */
const settle = (view, gaps) => {
  const blockMs = Math.max(0, ...gaps.map(([, { waitMs }]) => waitMs));
  const ms = Math.max(MINUTE_MS, answers.untilRoomMs(), blockMs);
  notBefore = performance.now() + blockMs;
  wait(ms);
  say(
    view.isMisread ? MISREAD : "",
    ...gaps.map(([said, { why }]) => `${said} ${REASONS[why]}`),
    gaps.length > 0 ? again(ms) : "",
  );
};

/** What is there stays, and says from when it is. @param {Unanswered} unanswered @param {View} view that was asked for */
const complain = ({ why, waitMs, message }, view) => {
  notBefore = performance.now() + waitMs;
  const ms = Math.max(waitMs, why === "unreachable" && !isOf(view) ? SOON_MS : MINUTE_MS);
  const refused = why === "refused" ? ` (${message})` : "";
  age();
  say(view.isMisread ? MISREAD : "", `${REASONS[why]}${refused}`, seen(view), again(ms));
  wait(ms);
};

/** What was answered and cannot be drawn is as good as no answer. @param {unknown} error */
const unansweredBy = (error) => {
  if (error instanceof Unanswered) return error;
  answers.distrust();
  return new Unanswered("unreadable", 0);
};

const load = async () => {
  if (!isSignedIn) return;
  const view = viewNow();
  const early = notBefore - performance.now();
  if (early > 0) {
    const until = atTime(new Date(Date.now() + early));
    say(`Muitas consultas seguidas. Nova atualização ${until}.`, seen(view));
    wait(early);
    return;
  }
  asking?.abort();
  const mine = new AbortController();
  asking = mine;
  clearTimeout(timer);
  byId("panel").setAttribute("aria-busy", "true");
  try {
    const { gaps, ...got } = await answers.ask(view, mine.signal);
    if (mine.signal.aborted) return;
    show({ view, ...got, at: new Date() });
    settle(view, gaps);
  } catch (error) {
    if (mine.signal.aborted || !isSignedIn) return;
    complain(unansweredBy(error), view);
  } finally {
    if (asking === mine) byId("panel").setAttribute("aria-busy", "false");
  }
};

const begin = () => {
  isSignedIn = true;
  form.show();
  byId("title").focus();
  void load();
};

const end = () => {
  isSignedIn = false;
  asking?.abort();
  clearTimeout(timer);
  answers.forget();
  picture = undefined;
  notBefore = 0;
  chart.clear();
  for (const shown of document.querySelectorAll("[data-private]")) shown.replaceChildren();
  byId("panel").hidden = true;
  document.title = "Painel";
  byId("title").textContent = "Painel";
  say("");
};

byId("now").addEventListener("click", () => void load());
addEventListener("online", () => void load());
document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (document.hidden || !isSignedIn) return;
  age();
  wait(Math.max(0, due - performance.now()));
});
setInterval(() => {
  if (!document.hidden) age();
}, MINUTE_MS);
