// GET requests with `If-None-Match`, and how long the page must wait before the next one.

import { serviceNow } from "../service-clock.ts";
import { MAX_WAIT_MS, retryAfterMs, type Session } from "../session.ts";
import { withoutNothing } from "./comparison.ts";
import { openMemory } from "./memory.ts";

export type Reason = "limit" | "busy" | "unreachable" | "broken" | "unreadable" | "refused" | "unauthorized";

/** With fewer requests left than this, automatic refreshes pause, so that clicks still work. */
const RESERVED_REQUESTS = 20;
/** Responses kept in memory: those of twelve views. */
const MAX_RESPONSES = 200;
/** Longer than the service's own time limit for a request. */
const TIMEOUT_MS = 15_000;
/** Longer than a whole list waits for requests that its user has left (X2). */
const STREAM_TIMEOUT_MS = 75_000;

/** A request that returned no usable response. */
export class RequestError extends Error {
  readonly reason: Reason;
  /** The page sends no request before this. */
  readonly waitMs: number;
  /** When the request is sent again, by `serviceNow()`. */
  retryAt: number;

  constructor(reason: Reason, waitMs: number, message?: string) {
    super(message ?? reason);
    this.reason = reason;
    this.waitMs = waitMs;
    this.retryAt = serviceNow() + waitMs;
  }
}

/** The longest `t` of the `RateLimit` limits with fewer than `needed` requests left, in milliseconds. */
const quotaWait = (header: string | null, needed: number): number => {
  const limits = [...(header ?? "").matchAll(/r=(\d+);t=(\d+)/g)].filter(([, left]) => Number(left) < needed);
  return Math.min(Math.max(0, ...limits.map(([, , seconds]) => Number(seconds) * 1000)), MAX_WAIT_MS);
};

const errorOf = async (response: Response): Promise<RequestError> => {
  const waitMs = Math.max(retryAfterMs(response), quotaWait(response.headers.get("RateLimit"), 1));
  if (response.status === 401) return new RequestError("unauthorized", 0);
  if (response.status === 429) return new RequestError("limit", waitMs);
  if (response.status >= 500) return new RequestError("busy", waitMs);
  const body: { message?: string } | null = await response.json().catch(() => null);
  return new RequestError("refused", waitMs, body?.message ?? `HTTP ${response.status}`);
};

/** Keeps the digits of an integer that a number cannot hold, as text, where the browser gives them. */
export const exact = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? (context?.source ?? value)
    : value;

/** Whether a body has a list or an object at a path like `visitas.totais`. */
const has = (body: unknown, path: string): boolean => {
  const value = path
    .split(".")
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], body);
  return typeof value === "object" && value !== null;
};

const parseBody = (text: string, fields: readonly string[]): unknown => {
  try {
    const body: unknown = JSON.parse(text, exact);
    if (fields.every((path) => has(body, path))) return withoutNothing(body);
  } catch {}
  throw new RequestError("unreadable", 0);
};

/** A signal that aborts with another one, and when nothing has arrived for long. */
const openPatience = (signal: AbortSignal) => {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const renew = () => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(), STREAM_TIMEOUT_MS);
  };
  renew();
  const end = () => {
    clearTimeout(timer);
    controller.abort();
  };
  return { signal: AbortSignal.any([signal, controller.signal]), renew, end };
};

export type Service = ReturnType<typeof openService>;

export const openService = (session: Pick<Session, "fetch">) => {
  /** The last response of each path. */
  const responses = openMemory<{ etag: string; body: unknown }>(MAX_RESPONSES);
  /** Automatic requests pause until then, by `performance.now()`. */
  let pausedUntil = 0;
  /** No request is sent before `until` (by `performance.now()`), because of a `Retry-After`. */
  let blocked: { until: number; reason: Reason } = { until: 0, reason: "limit" };
  const blockedMs = () => Math.max(0, blocked.until - performance.now());

  /** Sends GET. The response is a 304 or has a status of 200 to 299. Otherwise throws a `RequestError`. */
  const send = async (path: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response> => {
    if (blockedMs() > 0) throw new RequestError(blocked.reason, blockedMs());
    const response = await session.fetch(path, { ...init, signal });
    // The session may have ended meanwhile: nothing of it is kept.
    signal.throwIfAborted();
    pausedUntil = performance.now() + quotaWait(response.headers.get("RateLimit"), RESERVED_REQUESTS);
    if (response.ok || response.status === 304) return response;
    const error = await errorOf(response);
    if (error.waitMs > blockedMs())
      blocked = { until: performance.now() + error.waitMs, reason: error.reason };
    throw error;
  };

  /** Sends GET and gives the text as it arrives. Throws a `RequestError` if it does not arrive to its end. */
  const read = async (path: string, signal: AbortSignal, onText: (text: string) => void): Promise<void> => {
    const patience = openPatience(signal);
    let reason: Reason = "unreachable";
    try {
      const { body } = await send(path, patience.signal);
      reason = "broken";
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
        patience.renew();
        onText(part.value);
      }
    } catch (error) {
      // A RangeError says that the text is too long.
      if (error instanceof RequestError || error instanceof RangeError || signal.aborted) throw error;
      throw new RequestError(reason, 0);
    } finally {
      patience.end();
    }
  };

  /**
   * Sends GET and returns the body, which must have the lists or objects `fields`. After a 304 it is the same object
   * as the last time. Throws a `RequestError` without a usable response.
   */
  const get = async <T>(path: string, fields: readonly string[], signal: AbortSignal): Promise<T> => {
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
      signal.throwIfAborted();
      responses.keep(path, { etag, body });
      return body as T;
    } catch (error) {
      if (error instanceof RequestError || signal.aborted) throw error;
      throw new RequestError("unreachable", 0);
    }
  };

  return {
    get,
    read,
    /** How long automatic requests pause, because few are left. */
    quotaWaitMs: () => Math.max(0, pausedUntil - performance.now()),
    blockedMs,
    clear: () => {
      responses.clear();
      blocked.until = 0;
      pausedUntil = 0;
    },
  };
};
