import type { Context, Next } from "hono";
import { createMiddleware } from "hono/factory";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { AppEnv } from "../../core/context.ts";
import { tooManyRequests, unavailable } from "../../core/errors.ts";
import { setRateLimitHeaders } from "../../platform/http/rate-limit-headers.ts";
import { startStep } from "../../platform/http/step-duration.ts";
import type { Quotas } from "../../platform/objects/sliding-log.ts";
import { WINDOW_MS } from "./counter.ts";
import { type Remote, Tally } from "./tally.ts";

export const quotasOf = ({ var: { settings, policy } }: Context<AppEnv>): Quotas => ({
  global: settings.RATE_LIMIT_GLOBAL,
  ...(policy.quotas.includes("auth") && { auth: settings.RATE_LIMIT_AUTH }),
});

const tallies = new BoundedMap<string, Tally>(10_000);

export const tallyOf = (counterName: string): Tally => {
  const tally = tallies.get(counterName) ?? new Tally();
  tallies.set(counterName, tally);
  return tally;
};

/** Forgets what this isolate knows of its clients. For tests. */
export const clearTallies = (): void => tallies.clear();

export const remoteOf = ({ env, executionCtx }: Context<AppEnv>, counterName: string): Remote => ({
  counterName,
  counter: () => env.COUNTERS.getByName(counterName),
  hints: env.HINTS,
  waitUntil: (work) => executionCtx.waitUntil(work),
});

/** Shows the standings of a client. @throws Refusal 429 unless the request is allowed */
const conclude = (
  c: Context<AppEnv>,
  { isAllowed, tally, quotas }: { isAllowed: boolean; tally: Tally; quotas: Quotas },
): void => {
  setRateLimitHeaders(c, WINDOW_MS, tally.standings(quotas));
  if (!isAllowed) throw tooManyRequests(tally.waitMs(quotas));
};

/** Counts a request exactly, and waits for it. Not idempotent. @throws Refusal 503 if the counter cannot be reached */
export const countExactly = async (c: Context<AppEnv>, counterName: string, quotas = quotasOf(c)) => {
  c.set("chargedCounterName", counterName);
  const [tally, endStep] = [tallyOf(counterName), startStep(c, "limit")];
  const { error, ...result } = await tally.countExactly(quotas, remoteOf(c, counterName), c.var.deadline);
  endStep();
  if (error !== undefined)
    throw unavailable("The rate limits cannot be checked. Try again in a few seconds.", error);
  return { ...result, tally };
};

/** Counts a request exactly, and shows its standings. @throws Refusal 429 if a quota is used up, 503 as above */
export const chargeRequest = async (c: Context<AppEnv>, counterName: string): Promise<void> => {
  const quotas = quotasOf(c);
  const { isAllowed, id, tally } = await countExactly(c, counterName, quotas);
  conclude(c, { isAllowed, tally, quotas });
  c.set("charge", { counterName, id, standings: tally.standings(quotas) ?? [] });
};

/** Runs a request beside its count. If the count refuses before the answer is sent, the answer is the 429 (E11). */
const countBeside = async (c: Context<AppEnv>, counterName: string, next: Next): Promise<void> => {
  c.set("chargedCounterName", counterName);
  const [tally, quotas, remote] = [tallyOf(counterName), quotasOf(c), remoteOf(c, counterName)];
  const endStep = startStep(c, "limit");
  const waitUntil = (confirmed: Promise<unknown>) => remote.waitUntil(confirmed.then(endStep));
  const headersBefore = c.body(null).headers;
  const isAllowed = await tally.runBeside(quotas, { ...remote, waitUntil }, async () => {
    await next();
    return c.res.status >= 400 && c.res.status < 500 && !c.var.hasStatement;
  });
  endStep();
  if (!isAllowed && c.finalized) {
    // Otherwise a stream would wait for its reader.
    c.set("isReplaced", true);
    await c.res.body?.cancel();
    c.res = undefined;
    c.res = new Response(null, { headers: headersBefore });
  }
  conclude(c, { isAllowed, tally, quotas });
};

export const countRequest = async (c: Context<AppEnv>, counterName: string, next: Next): Promise<void> => {
  const { quotas, renews } = c.var.policy;
  // `auth` is small, and a renewal may be taken back: these wait for their count.
  if (!quotas.includes("auth") && renews === undefined) return countBeside(c, counterName, next);
  await chargeRequest(c, counterName);
  await next();
};

/** Counts each request for its client (E3, E4). */
export const rateLimit = createMiddleware<AppEnv>(async (c, next) => {
  const { counterName, chargedCounterName } = c.var;
  // An unknown agent token was already counted for its address.
  await (counterName === chargedCounterName ? next() : countRequest(c, counterName, next));
});
