import type { Context } from "hono";
import type { AppEnv, Caller } from "../../core/context.ts";
import { databaseUnavailable } from "../../core/errors.ts";
import { withTimeout } from "../../core/timers.ts";
import { InFlight } from "../../platform/objects/in-flight.ts";
import { hashAgentToken } from "./agent-token.ts";
import { type Lookup, LookupCache } from "./lookup-cache.ts";
import { type AgentAccount, findAgentAccount, rightsOf } from "./queries.ts";

interface Agent {
  caller: Caller;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** By token hash. */
const cache = new LookupCache<Agent>();

const agentFrom = (account: AgentAccount): Agent => {
  const { id, identity, token_id: token } = account;
  const origin = { kind: "agent", token } as const;
  return {
    caller: { id, identity, profile: undefined, family: undefined, rights: rightsOf(account), origin },
    expiresAt: Date.parse(account.expires_at),
  };
};

/** Work that one request does and others join, by token hash. `deadline` is that of the first request. */
type PendingWork<T> = Map<string, { work: InFlight<T>; deadline: number }>;
const lookups: PendingWork<Lookup<Agent>> = new Map();
const charges: PendingWork<boolean> = new Map();

/** `waitUntil` keeps the work alive if this client disconnects, because other requests may wait for it. */
const shareWork = <T>(c: Context<AppEnv>, pending: PendingWork<T>, hash: string, promise: Promise<T>) => {
  const entry = { work: new InFlight(promise), deadline: c.var.deadline };
  pending.set(hash, entry);
  const removed = entry.work.settled.then(() => {
    if (pending.get(hash) === entry) pending.delete(hash);
  });
  c.executionCtx.waitUntil(removed);
};

const joinInFlight = <T>(
  c: Context<AppEnv>,
  pending: PendingWork<T>,
  hash: string,
): Promise<T> | undefined => {
  const { work, deadline = 0 } = pending.get(hash) ?? {};
  if (work === undefined || deadline <= Date.now()) return undefined;
  return work.wait(c.var.deadline - Date.now()).catch((error: unknown) => {
    throw work.isSettled ? error : databaseUnavailable(error);
  });
};

const lookUpToken = (c: Context<AppEnv>, hash: string): Promise<Lookup<Agent>> => {
  const joined = joinInFlight(c, lookups, hash);
  if (joined !== undefined) return joined;
  const fetchedAt = Date.now();
  const lookup = findAgentAccount(c.var.db, { hash }).then((account) =>
    cache.write(hash, account && agentFrom(account), fetchedAt),
  );
  shareWork(c, lookups, hash, lookup);
  return lookup;
};

const chargeLookup = async (c: Context<AppEnv>, hash: string, charge: () => Promise<void>): Promise<void> => {
  const chargeResult = charge();
  const hasSucceeded = chargeResult.then(
    () => true,
    () => false,
  );
  shareWork(c, charges, hash, hasSucceeded);
  await withTimeout(c.var.deadline - Date.now(), hasSucceeded).catch((timeout: unknown) => {
    throw databaseUnavailable(timeout);
  });
  await chargeResult;
};

/**
 * The first of concurrent requests with a token is charged and queries the database. If its charge is
 * refused, each of the others is charged separately (A10).
 */
const resolveToken = async (
  c: Context<AppEnv>,
  hash: string,
  charge: () => Promise<void>,
): Promise<Lookup<Agent>> => {
  const joined = joinInFlight(c, lookups, hash);
  if (joined !== undefined) return joined;
  const otherCharge = joinInFlight(c, charges, hash);
  if (otherCharge === undefined || !(await otherCharge)) await chargeLookup(c, hash, charge);
  // Another request may have filled the cache while this one waited.
  return cache.read(hash) ?? lookUpToken(c, hash);
};

/**
 * Returns undefined if the token is unknown, expired or revoked (A10).
 * @param charge called before a database lookup, unless a concurrent request was charged for the same lookup
 * @throws what `charge` throws; Refusal 503 if the database is unavailable (never cached)
 */
export const callerOfAgent = async (
  c: Context<AppEnv>,
  token: string,
  charge: () => Promise<void>,
): Promise<Caller | undefined> => {
  const hash = await hashAgentToken(token);
  const { value: agent } = cache.read(hash) ?? (await resolveToken(c, hash, charge));
  return agent && agent.expiresAt > Date.now() ? agent.caller : undefined;
};

export const clearAgentCaches = (): void => cache.clear();
