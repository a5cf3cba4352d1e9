import type { Context } from "hono";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { AppEnv } from "../../core/context.ts";
import { isRegisteredId } from "./client-secret.ts";
import { findOAuthClient, type RegisteredClient } from "./queries.ts";

/** How long an isolate caches a look-up. A removed client and a new secret take effect within this time (A14). */
const CACHE_MS = 60_000;
const MAX_CLIENTS = 1000;

/** Times are epoch milliseconds. `fetchedAt` is when the query started. */
interface CacheEntry {
  client: RegisteredClient | undefined;
  fetchedAt: number;
}

/** Two caches by id, so that a flood of unknown ids cannot evict known ones. */
const known = new BoundedMap<string, CacheEntry>(MAX_CLIENTS);
const unknown = new BoundedMap<string, CacheEntry>(MAX_CLIENTS);

/** Ignores an entry of the future: the clock went back, so the entry would be cached too long. */
const isFresh = ({ fetchedAt }: CacheEntry): boolean => {
  const age = Date.now() - fetchedAt;
  return age >= 0 && age < CACHE_MS;
};

/**
 * Returns an OAuth client that an operator registered, or undefined. Call it only after the request was counted (A14).
 * @throws Refusal 503 if the database is unavailable (never cached)
 */
export const findRegisteredClient = async (
  c: Context<AppEnv>,
  id: string,
): Promise<RegisteredClient | undefined> => {
  if (!isRegisteredId(id)) return undefined;
  const cached = known.get(id) ?? unknown.get(id);
  if (cached !== undefined && isFresh(cached)) return cached.client;
  const fetchedAt = Date.now();
  const client = await findOAuthClient(c.var.db, { id });
  known.delete(id);
  unknown.delete(id);
  (client === undefined ? unknown : known).set(id, { client, fetchedAt });
  return client;
};

/**
 * What users see of OAuth clients (A13): the name of a registered client, else the host of the id. A client that was
 * removed is missing.
 */
export const clientLabels = async (
  c: Context<AppEnv>,
  ids: Iterable<string>,
): Promise<Map<string, string>> => {
  const labelOf = async (id: string) =>
    isRegisteredId(id) ? (await findRegisteredClient(c, id))?.name : new URL(id).host;
  const labels = await Promise.all(
    [...new Set(ids)].map(async (id): Promise<[string, string][]> => {
      const label = await labelOf(id);
      return label === undefined ? [] : [[id, label]];
    }),
  );
  return new Map(labels.flat());
};

export const clearRegisteredClients = (): void => {
  known.clear();
  unknown.clear();
};
