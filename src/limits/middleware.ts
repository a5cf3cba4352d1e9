import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { endTime, startTime } from "hono/timing";
import type { AppEnv } from "../ground/context.ts";
import { Refusal, tooMany, unavailable, waitSeconds } from "../ground/errors.ts";
import { within } from "../http/objects.ts";
import { hintKey, WINDOW_MS } from "./counter.ts";
import { Permits } from "./permits.ts";
import { BLOCK_MS, type Quotas, type Standing, type Verdict } from "./sliding-log.ts";

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
 * Takes a permit of a client for this request, each time it is called.
 * @returns whether there was one, and how the client's quotas stand
 * @throws Refusal 429 or 503 when the counter cannot be reached
 */
export const takePermit = async (c: Context<AppEnv>, client: string): Promise<Verdict> => {
  c.set("counted", client);
  startTime(c, "limit");
  const permits = permitsOf(client);
  const asking = {
    counter: () => c.env.COUNTERS.getByName(client),
    quotas: quotasOf(c),
    deadline: c.var.deadline,
    waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
  };
  return (isAuth(c) ? permits.takeExact(asking) : permits.take(asking))
    .catch((error: unknown) => withoutCounter(c, client, error))
    .finally(() => endTime(c, "limit"));
};

/**
 * Counts the request for a client, each time it is called: resolves where it may go on.
 * @throws Refusal 429 when the client is out of quota, 503 when the counter cannot be reached
 */
export const count = async (c: Context<AppEnv>, client: string): Promise<void> => {
  const { allowed, standings } = await takePermit(c, client);
  tell(c, standings);
  if (allowed) return;
  const blocked = standings.filter(({ remaining }) => remaining === 0);
  throw overLimit(Math.max(...blocked.map(({ resetMs }) => resetMs)));
};

/** Counts a request that was refused before it was known who is asking: for the address it came from (E3). */
export const countEarlyRefusals = (addressClient: (c: Context<AppEnv>) => Promise<string>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next();
    const isClientError = c.error instanceof Refusal && c.error.status < 500;
    if (isClientError && c.var.counted === undefined) await count(c, await addressClient(c));
  });

/** Holds every client to its limits (E3, E4): nothing is done for a request without a permit. */
export const limits = createMiddleware<AppEnv>(async (c, next) => {
  const { client, counted } = c.var;
  // An unknown agent token was already counted for its address.
  if (client !== counted) await count(c, client);
  await next();
});
