import type { Context } from "hono";
import type { AppEnv, Standing } from "../../core/context.ts";
import { tooManyRequests } from "../../core/errors.ts";
import { setRateLimitHeaders } from "../../platform/http/rate-limit-headers.ts";
import { WINDOW_MS } from "../limits/counter.ts";
import { countExactly, quotasOf, remoteOf, tallyOf } from "../limits/middleware.ts";

const isTighter = (a: Standing, b: Standing): boolean =>
  a.remaining < b.remaining || (a.remaining === b.remaining && a.resetMs > b.resetMs);

/** Returns the tighter standing of each quota in the first list. */
const tighter = (standings: Standing[], others: Standing[]): Standing[] =>
  standings.map((standing) => {
    const other = others.find(({ name }) => name === standing.name);
    return other !== undefined && isTighter(other, standing) ? other : standing;
  });

/** Takes back the count of the renewed session. A request with a caller has no such session: it stays counted. */
const takeBack = async (c: Context<AppEnv>, refused: Standing[]): Promise<Standing[]> => {
  const { charge, caller } = c.var;
  if (charge === undefined || caller !== undefined) return tighter(charge?.standings ?? [], refused);
  const [tally, quotas] = [tallyOf(charge.counterName), quotasOf(c)];
  await tally.takeBack(charge.id, refused, remoteOf(c, charge.counterName), quotas);
  return tally.standings(quotas) ?? [];
};

/**
 * Also counts a renewal in `global` of the session's user (E3). If that is refused, the session's count is taken back.
 * The response shows the tighter standing of each quota.
 * @throws Refusal 429 if the quota is used up, 503 if the counter cannot be reached
 */
export const chargeUser = async (c: Context<AppEnv>, user: string): Promise<void> => {
  if (c.var.counterName === user) return;
  const quotas = { global: c.var.settings.RATE_LIMIT_GLOBAL };
  const { isAllowed, tally } = await countExactly(c, user, quotas).catch((error: unknown) => {
    setRateLimitHeaders(c, WINDOW_MS, undefined);
    throw error;
  });
  const [standings = [], waitMs] = [tally.standings(quotas), tally.waitMs(quotas)];
  const both = isAllowed ? tighter(c.var.charge?.standings ?? [], standings) : await takeBack(c, standings);
  setRateLimitHeaders(c, WINDOW_MS, both);
  if (!isAllowed) throw tooManyRequests(waitMs);
};
