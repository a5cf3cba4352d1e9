import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { BoundedMap } from "../core/bounded-map.ts";
import type { AppEnv, Standing } from "../core/context.ts";
import { Refusal, tooManyRequests, unavailable, waitSeconds } from "../core/errors.ts";
import { addStepDuration } from "../http/step-duration.ts";
import { readHint } from "../objects/hints.ts";
import { hintKey, WINDOW_MS } from "./counter.ts";
import { type PermitRequest, Permits } from "./permits.ts";
import { BLOCK_MS, type Quotas, type Verdict } from "./sliding-log.ts";

const quotasOf = ({ var: { settings, policy } }: Context<AppEnv>): Quotas => ({
  global: settings.RATE_LIMIT_GLOBAL,
  ...(policy.quotas.includes("auth") && { auth: settings.RATE_LIMIT_AUTH }),
});

/** Whether the quotas must be exact at every moment: `auth` is small, and a renewal may give its permit back. */
const areExact = ({ var: { policy } }: Context<AppEnv>): boolean =>
  policy.quotas.includes("auth") || policy.renews !== undefined;

/** Shows the quotas and their standings in the response headers (E4). */
const setRateLimitHeaders = (c: Context<AppEnv>, standings: Standing[]): void => {
  const policies = standings.map(({ name, quota }) => `"${name}";q=${quota};w=${WINDOW_MS / 1000}`);
  const remainders = standings.map(
    ({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${waitSeconds(resetMs)}`,
  );
  const headers = { "RateLimit-Policy": policies.join(", "), RateLimit: remainders.join(", ") };
  for (const [name, value] of Object.entries(headers)) {
    // `c.header` copies the body of a finished response.
    if (c.finalized) c.res.headers.set(name, value);
    else c.header(name, value);
  }
};

const isTighter = (a: Standing, b: Standing): boolean =>
  a.remaining < b.remaining || (a.remaining === b.remaining && a.resetMs > b.resetMs);

/** Returns the tighter standing of each quota in the first list. */
const tighter = (standings: Standing[], others: Standing[]): Standing[] =>
  standings.map((standing) => {
    const other = others.find(({ name }) => name === standing.name);
    return other !== undefined && isTighter(other, standing) ? other : standing;
  });

const limitExceeded = (waitMs: number) =>
  tooManyRequests(waitMs, (wait) => `Too many requests. Wait ${wait} seconds, then try again.`);

/** Throws a 503 because the counter cannot be reached, or a 429 if a hint says that the quota is used up. */
const refuseWithoutCounter = async (c: Context<AppEnv>, client: string, cause: unknown): Promise<never> => {
  const until = Number(await readHint(c.env.HINTS, hintKey(client)));
  const wait = Math.min(until - Date.now(), WINDOW_MS + BLOCK_MS);
  if (wait > 0) throw limitExceeded(wait);
  throw unavailable("The rate limits cannot be checked. Try again in a few seconds.", cause);
};

const MAX_CLIENTS = 10_000;
const clients = new BoundedMap<string, Permits>(MAX_CLIENTS);

const permitsOf = (client: string): Permits => {
  const permits = clients.get(client) ?? new Permits(client);
  clients.set(client, permits);
  return permits;
};

/** Clears all leases and cached quotas. For tests. */
export const clearPermits = (): void => clients.clear();

const permitRequest = (c: Context<AppEnv>, client: string, quotas: Quotas): PermitRequest => ({
  counter: () => c.env.COUNTERS.getByName(client),
  quotas,
  deadline: c.var.deadline,
  waitUntil: (work) => c.executionCtx.waitUntil(work),
});

/**
 * Takes one permit of a client. Not idempotent: a second call takes a second permit.
 * @throws Refusal if the counter cannot be reached: 429 if a hint says that the quota is used up, else 503
 */
export const takePermit = async (
  c: Context<AppEnv>,
  client: string,
  quotas = quotasOf(c),
): Promise<Verdict & { id?: string }> => {
  c.set("chargedClient", client);
  const started = Date.now();
  const permits = permitsOf(client);
  const request = permitRequest(c, client, quotas);
  return (areExact(c) ? permits.takeExact(request) : permits.take(request))
    .catch((error: unknown) => refuseWithoutCounter(c, client, error))
    .finally(() => addStepDuration(c, "limit", Date.now() - started));
};

const refusalOf = (standings: Standing[]): Refusal => {
  const usedUp = standings.filter(({ remaining }) => remaining === 0);
  return limitExceeded(Math.max(...usedUp.map(({ resetMs }) => resetMs)));
};

/**
 * Takes one permit of a client and shows the standings in the response. Not idempotent: a second call takes a
 * second permit.
 * @throws Refusal 429 if a quota is used up, 503 if the counter cannot be reached
 */
export const chargeRequest = async (c: Context<AppEnv>, client: string): Promise<void> => {
  const { allowed, standings, id } = await takePermit(c, client);
  setRateLimitHeaders(c, standings);
  if (!allowed) throw refusalOf(standings);
  c.set("permit", id === undefined ? undefined : { client, id, standings });
};

/**
 * Gives back the permit of the session that the request renews. A request with a caller, or without a permit, has no
 * such session: it stays charged.
 */
const giveBackPermit = async (c: Context<AppEnv>, refused: Standing[]): Promise<Standing[]> => {
  const { permit, caller } = c.var;
  if (permit === undefined || caller !== undefined) return tighter(permit?.standings ?? [], refused);
  const { client, id } = permit;
  return permitsOf(client).giveBack(id, refused, permitRequest(c, client, quotasOf(c)));
};

/**
 * Also takes a `global` permit of the user whose session the request renews (E3). If it is refused, the permit of
 * the session is given back. The response shows the tighter standing of each quota.
 * @throws Refusal 429 if the quota is used up, 503 if the counter cannot be reached
 */
export const chargeUser = async (c: Context<AppEnv>, user: string): Promise<void> => {
  if (c.var.client === user) return;
  const quotas = { global: c.var.settings.RATE_LIMIT_GLOBAL };
  const { allowed, standings } = await takePermit(c, user, quotas).catch(async (error: unknown) => {
    for (const name of ["RateLimit-Policy", "RateLimit"]) c.header(name, undefined);
    if (error instanceof Refusal && error.status === 429) await giveBackPermit(c, []);
    throw error;
  });
  setRateLimitHeaders(
    c,
    allowed ? tighter(c.var.permit?.standings ?? [], standings) : await giveBackPermit(c, standings),
  );
  if (!allowed) throw refusalOf(standings);
};

/** Charges the address for a request that was refused before its client was known (E3). */
export const countEarlyRefusals = (addressClient: (c: Context<AppEnv>) => Promise<string>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next();
    const isClientError = c.error instanceof Refusal && c.error.status < 500;
    if (isClientError && c.var.chargedClient === undefined) await chargeRequest(c, await addressClient(c));
  });

/** Lets a request pass if it gets a permit of its client (E3, E4). */
export const rateLimit = createMiddleware<AppEnv>(async (c, next) => {
  const { client, chargedClient } = c.var;
  // An unknown agent token was already charged to its address.
  if (client !== chargedClient) await chargeRequest(c, client);
  await next();
});
