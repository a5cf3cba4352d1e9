import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { endTime, startTime } from "hono/timing";
import type { AppEnv } from "../ground/context.ts";
import { tooMany, unavailable, waitSeconds } from "../ground/errors.ts";
import { callObject, within } from "../http/objects.ts";
import { hintKey, WINDOW_MS } from "./counter.ts";
import { hasPlenty, knownBlock, remember, whileUnderWay } from "./memory.ts";
import type { Quotas, Standing } from "./sliding-log.ts";

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

const refuseIfBlocked = (standings: Standing[]): void => {
  const blocked = standings.filter(({ remaining }) => remaining === 0).map(({ resetMs }) => resetMs);
  if (blocked.length > 0) throw overLimit(Math.max(...blocked));
};

// While counters cannot be reached, each isolate lets a client have so many data requests a window.
const ALLOWANCE = 50;
const allowances = new Map<string, { used: number; since: number }>();
const HINT_MS = 300;

/** What holds while a client's counter cannot be reached: known blocks, and a small allowance for data routes. */
const withoutCounter = async (c: Context<AppEnv>, client: string, cause: unknown): Promise<void> => {
  const unreachable = unavailable("The request limits cannot be checked. Try again in a few seconds.", cause);
  if (isAuth(c)) throw unreachable;
  const until = Number(await within(HINT_MS, c.env.HINTS.get(hintKey(client))).catch(() => null));
  if (until > Date.now()) throw overLimit(until - Date.now());
  const now = Date.now();
  const current = allowances.get(client);
  const allowance = current && now - current.since < WINDOW_MS ? current : { used: 0, since: now };
  allowance.used += 1;
  // Whoever is not in the map starts anew, so that it stays small whatever comes.
  if (allowances.size > 10_000) allowances.clear();
  allowances.set(client, allowance);
  if (allowance.used > ALLOWANCE) throw unreachable;
};

/** Counts the request and answers whether it may go on: resolves, or rejects with the refusal. */
const count = async (c: Context<AppEnv>, client: string, quotas: Quotas): Promise<void> => {
  // An id of our own: a client that repeats its X-Request-Id must not count once.
  const id = crypto.randomUUID();
  startTime(c, "limit");
  const asked = async () => {
    const answer = await callObject(c.var.deadline, () =>
      c.env.COUNTERS.getByName(client).hit(client, id, quotas),
    );
    remember(client, answer.standings);
    return answer;
  };
  const verdict = await whileUnderWay(client, asked())
    .catch((error: unknown) => withoutCounter(c, client, error))
    .finally(() => endTime(c, "limit"));
  if (verdict === undefined) return;
  tell(c, verdict.standings);
  if (!verdict.allowed) refuseIfBlocked(verdict.standings);
};

/**
 * Holds every client to its limits (E3, E4). A client that is known to have plenty left is counted while its
 * request goes on, so that the counter costs no time of its own; `permit` keeps what it read from leaving before
 * the counter has answered, and a refusal stops the statement. Everybody else waits for the counter, and never reaches the database when refused.
 */
export const limits = createMiddleware<AppEnv>(async (c, next) => {
  const { client } = c.var;
  const quotas = quotasOf(c);
  const names = Object.keys(quotas);
  const block = knownBlock(client, names);
  if (block !== undefined) {
    tell(c, block);
    refuseIfBlocked(block);
  }
  const permit = count(c, client, quotas);
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (isRead && hasPlenty(client, names)) {
    // A refusal is met below, also when nobody has waited for it until then.
    permit.catch(() => undefined);
    c.set("permit", permit);
    await next();
    await permit;
  } else {
    await permit;
    c.set("permit", permit);
    await next();
  }
});
