import type { Standing } from "../../core/context.ts";

// What is sent and stored keeps its names: see docs/stored-keys.md.

/** The quotas of a client by name: how many requests may pass in any window. */
export type Quotas = Readonly<Record<string, number>>;

/**
 * Requests to count together. Those that were `answered` count beyond the quota, too. The newest arrived `ageMs` ago.
 */
export interface Ask {
  id: string;
  names: string[];
  answered: number;
  total: number;
  ageMs: number;
}

interface Entry {
  slot: number;
  /** When its newest request arrived. It expires one window later. */
  at: number;
  /** The id of its `Ask`. */
  id: string;
  names: string[];
  /** How many requests it decided, and how many it counts. One may have been refused by an earlier entry. */
  asked: number;
  count: number;
}

const PREFIX = "hit:";

const sum = (entries: Entry[], field: "asked" | "count"): number =>
  entries.reduce((total, entry) => total + entry[field], 0);

/** A sliding window log in the storage of a Durable Object (E3, E5). */
export class SlidingLog {
  readonly #storage: DurableObjectStorage;
  readonly #windowMs: number;
  /** Sorted by `at`. */
  #entries: Entry[] | undefined;
  #freeSlots: number[] = [];
  #slotCount = 0;
  #lastReadAt = Number.POSITIVE_INFINITY;
  #isAlarmScheduled = false;

  constructor(storage: DurableObjectStorage, windowMs: number) {
    this.#storage = storage;
    this.#windowMs = windowMs;
  }

  /** Returns the standing of each quota. */
  standings(quotas: Quotas): Standing[] {
    const now = Date.now();
    const entries = this.#liveEntries(now);
    return Object.entries(quotas).map(([name, quota]) => {
      const counted = entries.filter(({ names }) => names.includes(name));
      const used = sum(counted, "count");
      // Usually the oldest entry. If more than the quota was counted, it is the last of several that must expire.
      let excess = Math.max(0, used - quota);
      const blocking = counted.find(({ count }) => {
        excess -= count;
        return excess < 0;
      });
      const resetMs = blocking === undefined ? this.#windowMs : blocking.at + this.#windowMs - now;
      return { name, quota, remaining: Math.max(0, quota - used), resetMs };
    });
  }

  /**
   * Counts as many requests as every quota has room for, and in any case those that were answered. A request is decided
   * once: if the id is repeated, only requests beyond the earlier total are added.
   * @returns how many of `total` count
   */
  count({ id, names, answered, total, ageMs }: Ask, quotas: Quotas): number {
    const now = Date.now();
    const own = this.#liveEntries(now).filter((entry) => entry.id === id);
    const [decided, before] = [sum(own, "asked"), sum(own, "count")];
    const standings = this.standings(quotas).filter(({ name }) => names.includes(name));
    const room = Math.min(...standings.map(({ remaining }) => remaining));
    const counted = Math.max(answered, before + Math.min(Math.max(0, total - decided), room));
    if (total > decided || counted > before)
      this.#add({ at: now - ageMs, id, names, asked: Math.max(0, total - decided), count: counted - before });
    return counted;
  }

  /** Takes a counted request back. If its call arrives later, or again, it does not count. */
  takeBack(id: string): void {
    const now = Date.now();
    const entry = this.#liveEntries(now).find((candidate) => candidate.id === id);
    if (entry === undefined) this.#add({ at: now, id, names: [], asked: 1, count: 0 });
    else {
      entry.count = 0;
      this.#write(entry);
    }
  }

  /** Schedules `sweep` in one window, unless an earlier alarm is set. */
  async scheduleAlarm(): Promise<void> {
    if (this.#isAlarmScheduled) return;
    this.#isAlarmScheduled = true;
    const current = await this.#storage.getAlarm();
    const time = Date.now() + this.#windowMs;
    if (current === null || current > time) await this.#storage.setAlarm(time);
  }

  /** Handles the alarm: returns whether every entry has expired, or schedules the next alarm. */
  async sweep(): Promise<boolean> {
    const last = this.#liveEntries(Date.now()).at(-1);
    this.#isAlarmScheduled = last !== undefined;
    if (last !== undefined) await this.#storage.setAlarm(last.at + this.#windowMs);
    return last === undefined;
  }

  /** Deletes the stored log. For an object that also stores other values. */
  clear(): void {
    for (const [slot] of this.#storage.kv.list({ prefix: PREFIX })) this.#storage.kv.delete(slot);
  }

  #add(values: Omit<Entry, "slot">): void {
    const entry = { slot: this.#freeSlots.pop() ?? this.#slotCount++, ...values };
    const index = this.#entries?.findLastIndex(({ at }) => at <= entry.at) ?? -1;
    this.#entries?.splice(index + 1, 0, entry);
    this.#write(entry);
  }

  #write(entry: Entry): void {
    this.#storage.kv.put(`${PREFIX}${entry.slot}`, entry);
  }

  #liveEntries(now: number): Entry[] {
    this.#entries ??= this.#read();
    // If the clock went back, no request was counted after now, so a window from now on is never too short.
    if (now < this.#lastReadAt) for (const entry of this.#entries) entry.at = Math.min(entry.at, now);
    this.#lastReadAt = now;
    const live = this.#entries.findIndex(({ at }) => at > now - this.#windowMs);
    const expired = this.#entries.splice(0, live === -1 ? this.#entries.length : live);
    this.#freeSlots.push(...expired.map(({ slot }) => slot));
    return this.#entries;
  }

  #read(): Entry[] {
    const stored = Array.from(this.#storage.kv.list<Entry>({ prefix: PREFIX }), ([, entry]) => entry);
    this.#slotCount = Math.max(-1, ...stored.map(({ slot }) => slot)) + 1;
    return stored.sort((a, b) => a.at - b.at);
  }
}
