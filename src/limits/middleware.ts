import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { endTime, startTime } from "hono/timing";
import type { AppEnv } from "../ground/context.ts";
import { tooMany, unavailable, waitSeconds } from "../ground/errors.ts";
import { within } from "../http/objects.ts";
import { hintKey, WINDOW_MS } from "./counter.ts";
import { Permits } from "./permits.ts";
import { BLOCK_MS, type Quotas, type Standing } from "./sliding-log.ts";

const isAuth = (c: Context<AppEnv>) => c.req.path.startsWith("/auth/");

const quotasOf = (c: Context<AppEnv>): Quotas => ({
  global: c.var.settings.RATE_LIMIT_GLOBAL,
  ...(isAuth(c) && { auth: c.var.settings.RATE_LIMIT_AUTH }),
});

/** Tells policy and standing on the answer (E4). */
const tell = (c: Context<AppEnv>, standings: Standing[]): void => {
  const policy = standings.map(({ name, quota }) => `"${name}";q=${quota};w=${WINDOW_MS / 1000}`);
  const standing = standings.map(
    ({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${waitSeconds(resetMs)}`,
  );
  const headers = { "RateLimit-Policy": policy.join(", "), RateLimit: standing.join(", ") };
  for (const [name, value] of Object.entries(headers)) {
    // On a finished answer `c.header` would copy the body.
    if (c.finalized) c.res.headers.set(name, value);
    else c.header(name, value);
  }
};

const overLimit = (waitMs: number) =>
  tooMany(
    waitMs,
    (wait) => `Too many requests. Wait ${wait} seconds, then go on; asking sooner does not help.`,
  );

const HINT_MS = 300;

/** What holds while a client's counter cannot be reached: a block that KV knows of, and else nobody passes. */
const withoutCounter = async (c: Context<AppEnv>, client: string, cause: unknown): Promise<never> => {
  const until = Number(await within(HINT_MS, c.env.HINTS.get(hintKey(client))).catch(() => null));
  const wait = Math.min(until - Date.now(), WINDOW_MS + BLOCK_MS);
  if (wait > 0) throw overLimit(wait);
  throw unavailable("The request limits cannot be checked. Try again in a few seconds.", cause);
};

const MAX_CLIENTS = 10_000;
const clients = new Map<string, Permits>();

/** The permits of a client in this isolate. The client not heard of for longest is forgotten first. */
const permitsOf = (client: string): Permits => {
  const permits = clients.get(client) ?? new Permits(client);
  clients.delete(client);
  clients.set(client, permits);
  const [oldest] = clients.keys();
  if (clients.size > MAX_CLIENTS && oldest !== undefined) clients.delete(oldest);
  return permits;
};

/** Forgets everything, as a new isolate. For tests. */
export const forget = (): void => clients.clear();

/**
 * Counts the request for a client, once each time it is called: resolves where it may go on.
 * @throws Refusal 429 when the client is out of quota, 503 when nobody can tell
 */
export const count = async (c: Context<AppEnv>, client: string): Promise<void> => {
  startTime(c, "limit");
  const permits = permitsOf(client);
  const asking = {
    counter: () => c.env.COUNTERS.getByName(client),
    quotas: quotasOf(c),
    deadline: c.var.deadline,
    waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
  };
  const verdict = await (isAuth(c) ? permits.takeExact(asking) : permits.take(asking))
    .catch((error: unknown) => withoutCounter(c, client, error))
    .finally(() => endTime(c, "limit"));
  tell(c, verdict.standings);
  if (verdict.allowed) return;
  const blocked = verdict.standings.filter(({ remaining }) => remaining === 0);
  throw overLimit(Math.max(...blocked.map(({ resetMs }) => resetMs)));
};

/** Holds every client to its limits (E3, E4): nothing is done for a request without a permit. */
export const limits = createMiddleware<AppEnv>(async (c, next) => {
  const { client, counted } = c.var;
  // Who paid for finding out who is asking has paid for the request.
  if (client !== counted) await count(c, client);
  await next();
});
