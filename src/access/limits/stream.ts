import type { Context } from "hono";
import type { AppEnv, Standing } from "../../core/context.ts";
import { tooManyRequests } from "../../core/errors.ts";
import { sleep } from "../../core/timers.ts";
import { quotasOf, remoteOf, tallyOf } from "./middleware.ts";

/** A stream waits or stops while no more requests are left than this, or a fifth of the quota if that is less. */
const RESERVE = 100;
const RESERVED_SHARE = 5;
/** How long a statement may wait for its turn. */
const PATIENCE_MS = 60_000;
/** It asks again after this long, and notices that its reader hung up. */
const PAUSE_MS = 1_000;

/** The log shows the name as `error`. */
class QuotaUsedUpError extends Error {
  override name = "QuotaUsedUpError";
}

/** Whether more is left than a stream leaves to its user, or nothing is known. */
const isEnough = (standings: Standing[] = []): boolean =>
  standings.every(
    ({ quota, remaining }) => remaining > Math.min(RESERVE, Math.floor(quota / RESERVED_SHARE)),
  );

/** Refuses a stream that would break off soon. @throws Refusal 429 */
export const assertEnough = (c: Context<AppEnv>): void => {
  const standings = tallyOf(c.var.counterName).standings(quotasOf(c));
  if (isEnough(standings)) return;
  throw tooManyRequests(
    Math.max(...(standings ?? []).map(({ resetMs }) => resetMs)),
    (seconds) =>
      `Too few requests are left for a whole list. Wait ${seconds} seconds, or read pages with the others.`,
  );
};

/**
 * Counts a statement of a stream as a request of its client, and runs it beside its count. While few requests are left,
 * it waits (X2).
 * @throws QuotaUsedUpError if that would take too long
 */
export const runCounted = async <T>(c: Context<AppEnv>, statement: () => Promise<T>): Promise<T> => {
  const { counterName } = c.var;
  const [tally, quotas, remote] = [tallyOf(counterName), quotasOf(c), remoteOf(c, counterName)];
  const latest = Date.now() + PATIENCE_MS;
  for (;;) {
    const results: T[] = [];
    const run = async () => {
      results.push(await statement());
      return false;
    };
    if (isEnough(tally.standings(quotas)) && (await tally.runBeside(quotas, remote, run)))
      return results[0] as T;
    const waitMs = tally.standings(quotas)?.[0]?.resetMs ?? PAUSE_MS;
    if (Date.now() + waitMs > latest || c.req.raw.signal.aborted) throw new QuotaUsedUpError();
    await sleep(Math.min(waitMs, PAUSE_MS));
    await tally.refresh(quotas, remote);
  }
};
