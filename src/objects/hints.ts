import { withTimeout } from "../core/with-timeout.ts";

/** Short, because without a hint the caller asks a Durable Object. */
const WAIT_MS = 300;

const MIN_SECONDS = 60;

export const readHint = (hints: KVNamespace, key: string): Promise<string | null> =>
  withTimeout(WAIT_MS, hints.get(key)).catch(() => null);

/** Stores a fact that cannot change for `ms` milliseconds. Without the hint, callers ask the Durable Object. */
export const leaveHint = (hints: KVNamespace, key: string, value: string, ms: number): Promise<void> => {
  const expirationTtl = Math.max(MIN_SECONDS, Math.ceil(ms / 1000));
  return hints.put(key, value, { expirationTtl }).catch(() => undefined);
};
