import type { Context } from "hono";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { AppEnv, Caller } from "../../core/context.ts";
import { databaseUnavailable } from "../../core/errors.ts";
import { withTimeout } from "../../core/timers.ts";
import { InFlight } from "../../platform/objects/in-flight.ts";
import { hashAgentToken } from "./agent-token.ts";
import { type AgentAccount, findAgentAccount, rightsOf } from "./queries.ts";

/** How long an isolate caches a lookup. A revoked token stops working within this time (A10). */
const CACHE_MS = 60_000;
const MAX_TOKENS = 1000;

/** Times are epoch milliseconds. `fetchedAt` is when the query started. */
interface CacheEntry {
  caller: Caller | undefined;
  fetchedAt: number;
  lastUsedAt: number;
  expiresAt: number;
}

type Cache = BoundedMap<string, CacheEntry>;
/** Two caches by token hash, so that a flood of invalid tokens cannot evict valid ones. */
const validTokens: Cache = new BoundedMap(MAX_TOKENS);
const invalidTokens: Cache = new BoundedMap(MAX_TOKENS);

const callerFrom = (account: AgentAccount): Caller => {
  const { id, identity, token_id: token } = account;
  const origin = { kind: "agent", token } as const;
  return { id, identity, profile: undefined, family: undefined, rights: rightsOf(account), origin };
};

const writeCache = (hash: string, account: AgentAccount | undefined, fetchedAt: number): CacheEntry => {
  const entry = {
    caller: account && callerFrom(account),
    fetchedAt,
    lastUsedAt: fetchedAt,
    expiresAt: Date.parse(account?.expires_at ?? ""),
  };
  const cache = account ? validTokens : invalidTokens;
  validTokens.delete(hash);
  invalidTokens.delete(hash);
  cache.set(hash, entry);
  return entry;
};

/** Ignores an entry last used in the future: the clock went back, so the entry would be cached too long. */
const readCache = (hash: string): CacheEntry | undefined => {
  const entry = validTokens.get(hash) ?? invalidTokens.get(hash);
  const now = Date.now();
  if (entry === undefined || now < entry.lastUsedAt || now - entry.fetchedAt >= CACHE_MS) return undefined;
  entry.lastUsedAt = now;
  return entry;
};

/** Work that one request does and others join, by token hash. `deadline` is that of the first request. */
type PendingWork<T> = Map<string, { work: InFlight<T>; deadline: number }>;
const lookups: PendingWork<CacheEntry> = new Map();
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

const lookUpToken = (c: Context<AppEnv>, hash: string): Promise<CacheEntry> => {
  const joined = joinInFlight(c, lookups, hash);
  if (joined !== undefined) return joined;
  const fetchedAt = Date.now();
  const lookup = findAgentAccount(c.var.db, { hash }).then((account) => writeCache(hash, account, fetchedAt));
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
): Promise<CacheEntry> => {
  const joined = joinInFlight(c, lookups, hash);
  if (joined !== undefined) return joined;
  const otherCharge = joinInFlight(c, charges, hash);
  if (otherCharge === undefined || !(await otherCharge)) await chargeLookup(c, hash, charge);
  // Another request may have filled the cache while this one waited.
  return readCache(hash) ?? lookUpToken(c, hash);
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
  const entry = readCache(hash) ?? (await resolveToken(c, hash, charge));
  return entry.expiresAt > Date.now() ? entry.caller : undefined;
};

export const clearAgentCaches = (): void => {
  validTokens.clear();
  invalidTokens.clear();
};
