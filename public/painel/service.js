// GET requests with `If-None-Match`, and how long the page must wait before the next one.
import { MAX_WAIT_MS, retryAfterMs } from "../session.js";
import { openMemory } from "./memory.js";

/**
 * @typedef {import("../session.js").Session} Session
 * @typedef {"limit" | "busy" | "unreachable" | "unreadable" | "refused" | "unauthorized"} Reason
 */

/** With fewer requests left than this, automatic refreshes pause, so that clicks still work. */
const RESERVED_REQUESTS = 20;
/** Responses kept in memory: those of twelve views. */
const MAX_RESPONSES = 200;
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
  /** The last response of each path. @type {ReturnType<typeof openMemory<{ etag: string, body: unknown }>>} */
  const responses = openMemory(MAX_RESPONSES);
  let quotaWaitMs = 0;
  /** No request is sent before `until` (by `performance.now()`), because of a `Retry-After`. @type {{ until: number, reason: Reason }} */
  let blocked = { until: 0, reason: "limit" };
  const blockedMs = () => Math.max(0, blocked.until - performance.now());

  /**
   * Sends GET. The response is a 304 or has a status of 200 to 299.
   * @param {string} path
   * @param {AbortSignal} signal cancels the request
   * @param {RequestInit} [init]
   * @throws {RequestError}
   */
  const send = async (path, signal, init = {}) => {
    if (blockedMs() > 0) throw new RequestError(blocked.reason, blockedMs());
    const response = await session.fetch(path, { ...init, signal });
    quotaWaitMs = quotaWait(response.headers.get("RateLimit"), RESERVED_REQUESTS);
    if (response.ok || response.status === 304) return response;
    const error = await errorOf(response);
    if (error.waitMs > blockedMs())
      blocked = { until: performance.now() + error.waitMs, reason: error.reason };
    throw error;
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
    const last = responses.get(path);
    const timeLimited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await send(path, timeLimited, {
        headers: last?.etag ? { "If-None-Match": last.etag } : {},
      });
      const { body, etag } =
        response.status === 304 && last
          ? last
          : {
              body: parseBody(await response.text(), fields),
              etag: response.headers.get("ETag") ?? "",
            };
      responses.keep(path, { etag, body });
      return body;
    } catch (error) {
      if (error instanceof RequestError || signal.aborted) throw error;
      throw new RequestError("unreachable", 0);
    }
  };

  return {
    send,
    get,
    /** The last body of a path, without a request. @template T @param {string} path @returns {T | undefined} */
    recall: (path) => /** @type {T | undefined} */ (responses.get(path)?.body),
    quotaWaitMs: () => quotaWaitMs,
    blockedMs,
    clearMemory: responses.clear,
    clear: () => {
      responses.clear();
      blocked.until = 0;
    },
  };
};

/** @typedef {ReturnType<typeof openService>} Service */
