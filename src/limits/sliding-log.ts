import type { Standing } from "../core/context.ts";

// What is sent and stored keeps its names: see docs/stored-keys.md.

/** The quotas of a client by name: how many requests may pass in any window. */
export type Quotas = Readonly<Record<string, number>>;

/**
 * The report that ends a block: how many of its permits were spent, including the permit of the request that
 * made the call. For a single permit, `spent: 0` gives it back.
 */
export interface SpentBlock {
  id: string;
  spent: number;
}

/**
 * What a call carries besides the request for its own permit: how many more permits to reserve (`waiting`
 * requests, and `ahead` for expected ones) and which blocks to end.
 */
export interface ReservationRequest {
  waiting: number;
  ahead: number;
  ended: SpentBlock[];
}

/** The counter's reply to a call: the permits it granted, if any, and the standings after the call. */
export interface Verdict {
  allowed: boolean;
  permits?: number;
  standings: Standing[];
}

/**
 * A block's window starts this long after its grant, or when the block ends if that is later. It counts from
 * its grant on.
 */
export const BLOCK_MS = 5_000;

/** Maximum number of reserved permits of one client, in all its open blocks together. */
export const MAX_RESERVED = 16;
/** At most an eighth of the remaining permits is reserved for expected requests. Below 8, none is. */
const AHEAD_DIVISOR = 8;

/** One granted call: a single permit or a block. */
interface Entry {
  slot: number;
  /** When its window starts (its "moment" in README.md). It already counts from the grant. */
  at: number;
  id: string;
  names: string[];
  count?: number;
  /** Reserved permits of a block, 0 once the block has ended. Absent from single permits. */
  reserved?: number;
}

const PREFIX = "hit:";
const MAX_ENDED_IDS = 64;

const countOf = ({ count = 1 }: Entry): number => count;

/** A sliding window log in the storage of a Durable Object (E3). README.md in this folder proves it exact. */
export class SlidingLog {
  readonly #storage: DurableObjectStorage;
  readonly #windowMs: number;
  /** Sorted by `at`. */
  #entries: Entry[] | undefined;
  #freeSlots: number[] = [];
  #slotCount = 0;
  /** Ids of calls whose permits were reported as ended. A `hit` that arrives later with such an id is late. */
  #endedIds: string[] = [];
  #lastReadAt = Number.POSITIVE_INFINITY;
  #isAlarmScheduled = false;

  constructor(storage: DurableObjectStorage, windowMs: number) {
    this.#storage = storage;
    this.#windowMs = windowMs;
  }

  /** Returns the standing of each quota without granting a permit. */
  standings(quotas: Quotas): Standing[] {
    const now = Date.now();
    const entries = this.#liveEntries(now);
    return Object.entries(quotas).map(([name, quota]) => {
      const counted = entries.filter(({ names }) => names.includes(name));
      const used = counted.reduce((sum, entry) => sum + countOf(entry), 0);
      const remaining = Math.max(0, quota - used);
      // Usually the oldest entry. If the quota was lowered, it is the last of several that must expire.
      let excess = Math.max(0, used - quota);
      const blocking = counted.find((entry) => {
        excess -= countOf(entry);
        return excess < 0;
      });
      return {
        name,
        quota,
        remaining,
        resetMs: blocking === undefined ? this.#windowMs : blocking.at + this.#windowMs - now,
      };
    });
  }

  /**
   * Grants one permit, counted in every quota, and reserves more if asked. Refuses if a quota is used up.
   * Idempotent per id.
   */
  hit(id: string, quotas: Quotas, request: Partial<ReservationRequest> = {}): Verdict {
    const { waiting = 0, ahead = 0, ended = [] } = request;
    const now = Date.now();
    const granted = this.#liveEntries(now).find((entry) => entry.id === id);
    if (granted) return { allowed: true, permits: countOf(granted), standings: this.standings(quotas) };
    if (this.#endedIds.includes(id)) throw new Error("its permits were ended before this call arrived");
    this.#endBlocks(ended, now);
    const remaining = Math.min(...this.standings(quotas).map((standing) => standing.remaining));
    if (remaining === 0) {
      const standings = this.standings(quotas).map((standing) => this.#shortenReset(standing, now));
      return { allowed: false, standings };
    }
    const reserved = this.#countReservable(waiting, ahead, remaining);
    this.#add({
      slot: this.#freeSlots.pop() ?? this.#slotCount++,
      at: now + (reserved > 0 ? BLOCK_MS : 0),
      id,
      names: Object.keys(quotas),
      ...(reserved > 0 && { count: 1 + reserved, reserved }),
    });
    return { allowed: true, permits: 1 + reserved, standings: this.standings(quotas) };
  }

  /** Ends blocks and takes back unspent permits. Idempotent: only the first report of each counts. */
  end(ended: SpentBlock[]): void {
    const now = Date.now();
    this.#liveEntries(now);
    this.#endBlocks(ended, now);
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

  #endBlocks(ended: SpentBlock[], now: number): void {
    for (const { id, spent } of ended) {
      const entry = this.#entries?.find((candidate) => candidate.id === id);
      const isGivenBack = entry !== undefined && entry.count === undefined && spent === 0;
      if (isGivenBack) this.#remove(entry);
      if (entry === undefined || isGivenBack)
        this.#endedIds = [id, ...this.#endedIds].slice(0, MAX_ENDED_IDS);
      if (!entry?.reserved) continue;
      entry.count = Math.max(1, Math.min(spent, countOf(entry)));
      entry.reserved = 0;
      // If the report is late, permits may have been spent as late as now.
      entry.at = Math.max(entry.at, now);
      this.#write(entry);
    }
    this.#sort();
  }

  /** An open block may give permits back before the oldest entry expires. */
  #shortenReset(standing: Standing, now: number): Standing {
    const block = this.#entries?.find(
      ({ names, reserved = 0, at }) => names.includes(standing.name) && reserved > 0 && at > now,
    );
    if (block === undefined || standing.remaining > 0) return standing;
    return { ...standing, resetMs: Math.min(standing.resetMs, block.at - now) };
  }

  /** How many permits to reserve besides the granted one. */
  #countReservable(waiting: number, ahead: number, remaining: number): number {
    const expected = Math.min(ahead, Math.floor(remaining / AHEAD_DIVISOR));
    const free = MAX_RESERVED - this.#countReserved();
    return Math.max(0, Math.min(waiting + expected, free, remaining - 1));
  }

  #countReserved(): number {
    return (this.#entries ?? []).reduce((sum, { reserved = 0 }) => sum + reserved, 0);
  }

  #add(entry: Entry): void {
    this.#entries ??= this.#read();
    this.#write(entry);
    const index = this.#entries.findLastIndex(({ at }) => at <= entry.at) + 1;
    this.#entries.splice(index, 0, entry);
  }

  #remove(entry: Entry): void {
    this.#entries?.splice(this.#entries.indexOf(entry), 1);
    this.#storage.kv.delete(`${PREFIX}${entry.slot}`);
    this.#freeSlots.push(entry.slot);
  }

  #write(entry: Entry): void {
    this.#storage.kv.put(`${PREFIX}${entry.slot}`, entry);
  }

  #sort(): void {
    this.#entries?.sort((a, b) => a.at - b.at);
  }

  #liveEntries(now: number): Entry[] {
    this.#entries ??= this.#read();
    // The clock went back (or this is the first read, when we cannot tell). No permit was spent after now, so
    // a window that starts now is never too short.
    if (now < this.#lastReadAt) {
      for (const entry of this.#entries)
        entry.at = Math.min(entry.at, now + (entry.reserved === undefined ? 0 : BLOCK_MS));
      this.#sort();
    }
    this.#lastReadAt = now;
    while (this.#entries[0] !== undefined && this.#entries[0].at <= now - this.#windowMs) {
      this.#freeSlots.push(this.#entries[0].slot);
      this.#entries.shift();
    }
    return this.#entries;
  }

  #read(): Entry[] {
    const stored = Array.from(this.#storage.kv.list<Entry>({ prefix: PREFIX }), ([, entry]) => entry);
    this.#slotCount = Math.max(-1, ...stored.map(({ slot }) => slot)) + 1;
    return stored;
  }
}
