import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { isRegisteredId } from "./client-secret.ts";
import { LookupCache } from "./lookup-cache.ts";
import { findOAuthClient, type RegisteredClient } from "./queries.ts";

/** By client id. */
const cache = new LookupCache<RegisteredClient>();

/**
 * Returns an OAuth client that an operator registered, or undefined. Call it only after the request was counted (A14).
 * @throws Refusal 503 if the database is unavailable (never cached)
 */
export const findRegisteredClient = async (
  c: Context<AppEnv>,
  id: string,
): Promise<RegisteredClient | undefined> => {
  if (!isRegisteredId(id)) return undefined;
  const cached = cache.read(id);
  if (cached !== undefined) return cached.value;
  const fetchedAt = Date.now();
  return cache.write(id, await findOAuthClient(c.var.db, { id }), fetchedAt).value;
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

export const clearRegisteredClients = (): void => cache.clear();
