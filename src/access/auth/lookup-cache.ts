import { BoundedMap } from "../../core/bounded-map.ts";

/** How long an isolate caches a look-up. What was revoked, removed or replaced takes effect within this time. */
const CACHE_MS = 60_000;
const MAX_ENTRIES = 1000;

/** `value` is undefined if there is none. Times are epoch milliseconds. `fetchedAt` is when the query started. */
export interface Lookup<Value> {
  value: Value | undefined;
  fetchedAt: number;
  lastUsedAt: number;
}

/** The look-ups of an isolate in the database, by key (A10, A14). */
export class LookupCache<Value> {
  /** Apart, so that a flood of unknown keys cannot evict known ones. */
  readonly #known = new BoundedMap<string, Lookup<Value>>(MAX_ENTRIES);
  readonly #unknown = new BoundedMap<string, Lookup<Value>>(MAX_ENTRIES);

  /** Ignores an entry last used in the future: the clock went back, so the entry would be cached too long. */
  read(key: string): Lookup<Value> | undefined {
    const entry = this.#known.get(key) ?? this.#unknown.get(key);
    const now = Date.now();
    if (entry === undefined || now < entry.lastUsedAt || now - entry.fetchedAt >= CACHE_MS) return undefined;
    entry.lastUsedAt = now;
    return entry;
  }

  write(key: string, value: Value | undefined, fetchedAt: number): Lookup<Value> {
    const entry = { value, fetchedAt, lastUsedAt: fetchedAt };
    this.#known.delete(key);
    this.#unknown.delete(key);
    (value === undefined ? this.#unknown : this.#known).set(key, entry);
    return entry;
  }

  clear(): void {
    this.#known.clear();
    this.#unknown.clear();
  }
}
