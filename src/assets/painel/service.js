// How the service is asked: with the ETag of what is there already, and not before it says one may.
import { askedWait, LONGEST_MS } from "../session.js";

/**
 * @typedef {import("../session.js").Session} Session
 * @typedef {"limit" | "busy" | "unreachable" | "unreadable" | "refused" | "ended"} Why
 */

/** With fewer requests left than this, a page that asks by itself leaves them to whoever clicks. */
const SPARE = 20;
/** Longer than the service lets itself take. */
const PATIENCE_MS = 15_000;

/** The service has not answered what it was asked for. */
export class Unanswered extends Error {
  /** @param {Why} why @param {number} waitMs before which nobody may ask again @param {string} [message] */
  constructor(why, waitMs, message) {
    super(message ?? why);
    this.why = why;
    this.waitMs = waitMs;
  }
}

/** Milliseconds until each limit has so many requests left, as `RateLimit` tells it. @param {string | null} header @param {number} spare */
const untilRoom = (header, spare) => {
  const limits = [...(header ?? "").matchAll(/r=(\d+);t=(\d+)/g)].filter(([, left]) => Number(left) < spare);
  return Math.min(Math.max(0, ...limits.map(([, , seconds]) => Number(seconds) * 1000)), LONGEST_MS);
};

/** @param {Response} response */
const refusalOf = async (response) => {
  const waitMs = Math.max(askedWait(response), untilRoom(response.headers.get("RateLimit"), 1));
  if (response.status === 401) return new Unanswered("ended", 0);
  if (response.status === 429) return new Unanswered("limit", waitMs);
  if (response.status >= 500) return new Unanswered("busy", waitMs);
  const body = await response.json().catch(() => null);
  return new Unanswered("refused", waitMs, body?.message ?? `HTTP ${response.status}`);
};

/** @param {string} text @param {readonly string[]} fields without which it is not what was asked for */
const readBody = (text, fields) => {
  try {
    const body = JSON.parse(text);
    if (fields.every((name) => typeof body[name] === "object")) return body;
  } catch {}
  throw new Unanswered("unreadable", 0);
};

/** @param {Session} session */
export const openService = (session) => {
  /** What was answered, by path: of each kind of path the newest alone. @type {Map<string, { path: string, etag: string, body: unknown }>} */
  const known = new Map();
  let roomMs = 0;

  /**
   * The answer to a path; the same object as the last time where nothing has changed.
   * @template T
   * @param {string} path
   * @param {readonly string[]} fields of the answer: lists or objects
   * @param {AbortSignal} signal ends it, and its reader knows why
   * @returns {Promise<T>}
   * @throws {Unanswered}
   */
  const ask = async (path, fields, signal) => {
    const [kind = ""] = path.split("?");
    const last = known.get(kind);
    const headers = new Headers(last?.path === path && last.etag ? { "If-None-Match": last.etag } : {});
    const timely = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      const response = await session.fetch(path, { headers, signal: timely });
      roomMs = untilRoom(response.headers.get("RateLimit"), SPARE);
      if (response.status === 304 && last) return /** @type {T} */ (last.body);
      if (!response.ok) throw await refusalOf(response);
      const body = readBody(await response.text(), fields);
      known.set(kind, { path, etag: response.headers.get("ETag") ?? "", body });
      return body;
    } catch (error) {
      if (error instanceof Unanswered || signal.aborted) throw error;
      throw new Unanswered("unreachable", 0);
    }
  };

  return { ask, untilRoomMs: () => roomMs, forget: () => known.clear() };
};

/** @typedef {ReturnType<typeof openService>} Service */
