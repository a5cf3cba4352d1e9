import { withTimeout } from "../../core/timers.ts";

/** Short, because without a hint the caller calls a Durable Object. */
const READ_TIMEOUT_MS = 300;

/** The shortest expiry that KV accepts. */
const MIN_TTL_SECONDS = 60;

/** Never rejects. */
export const readHint = async (hints: KVNamespace, key: string): Promise<string | null> => {
  try {
    return await withTimeout(READ_TIMEOUT_MS, hints.get(key));
  } catch {
    return null;
  }
};

/** Stores a fact that does not change for `ms` milliseconds. If it fails, callers call the object instead. */
export const writeHint = (hints: KVNamespace, key: string, value: string, ms: number): Promise<void> => {
  const expirationTtl = Math.max(MIN_TTL_SECONDS, Math.ceil(ms / 1000));
  return hints.put(key, value, { expirationTtl }).catch(() => undefined);
};
