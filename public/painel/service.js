// GET requests with `If-None-Match`, and how long the page must wait before the next one.
import { MAX_WAIT_MS, retryAfterMs } from "../session.js";

/**
 * @typedef {import("../session.js").Session} Session
 * @typedef {"limit" | "busy" | "unreachable" | "unreadable" | "refused" | "unauthorized"} Reason
 */

/** With fewer requests left than this, automatic refreshes pause, so that clicks still work. */
const RESERVED_REQUESTS = 20;
/** Responses kept in memory: some ten views. */
const MAX_CACHED = 150;
/** Longer than the service's own time limit for a request. */
const TIMEOUT_MS = 15_000;

/** A request that returned no usable response. */
export class RequestError extends Error {
  /** @param {Reason} reason @param {number} waitMs the page sends no request before this @param {string} [message] */
  constructor(reason, waitMs, message) {
    super(message ?? reason);
    this.reason = reason;
    this.waitMs = waitMs;
  }
}

/** The longest `t` of the `RateLimit` limits with fewer than `needed` requests left, in milliseconds. @param {string | null} header @param {number} needed */
const quotaWait = (header, needed) => {
  const limits = [...(header ?? "").matchAll(/r=(\d+);t=(\d+)/g)].filter(([, left]) => Number(left) < needed);
  return Math.min(Math.max(0, ...limits.map(([, , seconds]) => Number(seconds) * 1000)), MAX_WAIT_MS);
};

/** @param {Response} response */
const errorOf = async (response) => {
  const waitMs = Math.max(retryAfterMs(response), quotaWait(response.headers.get("RateLimit"), 1));
  if (response.status === 401) return new RequestError("unauthorized", 0);
  if (response.status === 429) return new RequestError("limit", waitMs);
  if (response.status >= 500) return new RequestError("busy", waitMs);
  const body = await response.json().catch(() => null);
  return new RequestError("refused", waitMs, body?.message ?? `HTTP ${response.status}`);
};

/** @param {string} text @param {readonly string[]} fields that the body must have */
const parseBody = (text, fields) => {
  try {
    const body = JSON.parse(text);
    if (fields.every((name) => typeof body[name] === "object")) return body;
  } catch {}
  throw new RequestError("unreadable", 0);
};

/** @param {Session} session */
export const openService = (session) => {
  /** The last response of each path, least recently used first. @type {Map<string, { etag: string, body: unknown }>} */
  const cache = new Map();
  let quotaWaitMs = 0;

  /** @param {string} path @param {{ etag: string, body: unknown }} response @returns {any} the body */
  const keep = (path, response) => {
    cache.delete(path);
    cache.set(path, response);
    for (const oldest of cache.keys()) if (cache.size > MAX_CACHED) cache.delete(oldest);
    return response.body;
  };

  /**
   * Sends GET and returns the body. After a 304 it is the same object as the last time.
   * @template T
   * @param {string} path
   * @param {readonly string[]} fields lists or objects that the body must have
   * @param {AbortSignal} signal cancels the request
   * @returns {Promise<T>}
   * @throws {RequestError}
   */
  const get = async (path, fields, signal) => {
    const last = cache.get(path);
    const headers = new Headers(last?.etag ? { "If-None-Match": last.etag } : {});
    const timeLimited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await session.fetch(path, { headers, signal: timeLimited });
      quotaWaitMs = quotaWait(response.headers.get("RateLimit"), RESERVED_REQUESTS);
      if (response.status === 304 && last) return keep(path, last);
      if (!response.ok) throw await errorOf(response);
      const body = parseBody(await response.text(), fields);
      return keep(path, { etag: response.headers.get("ETag") ?? "", body });
    } catch (error) {
      if (error instanceof RequestError || signal.aborted) throw error;
      throw new RequestError("unreachable", 0);
    }
  };

  /** The last body of a path, without a request. @template T @param {string} path @returns {T | undefined} */
  const recall = (path) => /** @type {T | undefined} */ (cache.get(path)?.body);

  return { get, recall, quotaWaitMs: () => quotaWaitMs, clear: () => cache.clear() };
};

/** @typedef {ReturnType<typeof openService>} Service */
