// A deploy runs two releases side by side: never rename a field that is sent or stored.

/** The quotas of a client by name: how many requests may pass in any window. */
export type Quotas = Readonly<Record<string, number>>;

/** What remains of a quota, and the milliseconds until more remains. */
export interface Standing {
  name: string;
  quota: number;
  remaining: number;
  resetMs: number;
}

/** The report that ends a block: how many of its permits were spent, including that of the request that asked. */
export interface SpentBlock {
  id: string;
  spent: number;
}

/** What a call requests besides its own permit: permits for waiting and expected requests, and blocks to end. */
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

/** A block counts from this long after it was granted, or from its end if that is later. */
export const BLOCK_MS = 5_000;

/** Most reserved permits of one client, in all its open blocks together. */
export const MAX_RESERVED = 16;
/** At most one in eight of the remaining permits is reserved ahead, so none near the end of a quota. */
const AHEAD_DIVISOR = 8;

/** One granted call: a single permit or a block. */
interface Entry {
  n: number;
  slot: number;
  /** The moment it counts from. */
  at: number;
  id: string;
  names: string[];
  count?: number;
  /** Reserved permits of a block, 0 once the block has ended. Absent from single permits. */
  reserved?: number;
  /** Blocks that ended with this call, stored here to save a write for each. */
  earlier?: { n: number; at: number; count: number }[];
}

const PREFIX = "hit:";
const MAX_ENDED_EARLY = 64;

const countOf = ({ count = 1 }: Entry): number => count;

/** A sliding window log in the storage of a Durable Object (E3). `README.md` in this folder proves that it is exact. */
export class SlidingLog {
  readonly #storage: DurableObjectStorage;
  readonly #windowMs: number;
  /** Sorted by the moment they count from. */
  #entries: Entry[] | undefined;
  #nextPosition = 0;
  #freeSlots: number[] = [];
  #slotCount = 0;
  /** Ids of blocks whose report arrived before the call that requests them. */
  #endedEarly: string[] = [];
  #lastReadAt = Number.POSITIVE_INFINITY;
  #isArmed = false;

  constructor(storage: DurableObjectStorage, windowMs: number) {
    this.#storage = storage;
    this.#windowMs = windowMs;
  }

  /** Returns the standing of each quota without granting a permit. */
  look(quotas: Quotas): Standing[] {
    const now = Date.now();
    const live = this.#liveEntries(now);
    return Object.entries(quotas).map(([name, quota]) => {
      const counted = live.filter(({ names }) => names.includes(name));
      const used = counted.reduce((sum, entry) => sum + countOf(entry), 0);
      const remaining = Math.max(0, quota - used);
      // After a quota was lowered, more than the oldest entry must expire before a request can pass.
      let excess = Math.max(0, used - quota);
      const first = counted.find((entry) => {
        excess -= countOf(entry);
        return excess < 0;
      });
      return {
        name,
        quota,
        remaining,
        resetMs: first === undefined ? this.#windowMs : first.at + this.#windowMs - now,
      };
    });
  }

  /** Grants a permit that counts in every quota and reserves more, or refuses. Safe to repeat with the same id. */
  hit(id: string, quotas: Quotas, { waiting, ahead, ended }: Partial<ReservationRequest> = {}): Verdict {
    const now = Date.now();
    const repeated = this.#liveEntries(now).find((entry) => entry.id === id);
    if (repeated) return { allowed: true, permits: countOf(repeated), standings: this.look(quotas) };
    if (this.#endedEarly.includes(id)) throw new Error("this call came too late");
    const endedBlocks = this.#endBlocks(ended ?? [], now);
    const remaining = Math.min(...this.look(quotas).map((standing) => standing.remaining));
    if (remaining === 0) {
      for (const block of endedBlocks) this.#write(block);
      return { allowed: false, standings: this.look(quotas).map((one) => this.#shortenReset(one, now)) };
    }
    const reserved = Math.max(
      0,
      Math.min(
        (waiting ?? 0) + Math.min(ahead ?? 0, Math.floor(remaining / AHEAD_DIVISOR)),
        MAX_RESERVED - this.#countReserved(),
        remaining - 1,
      ),
    );
    this.#add({
      n: this.#nextPosition,
      slot: this.#freeSlots.pop() ?? this.#slotCount++,
      at: now + (reserved > 0 ? BLOCK_MS : 0),
      id,
      names: Object.keys(quotas),
      ...(reserved > 0 && { count: 1 + reserved, reserved }),
      ...(endedBlocks.length > 0 && {
        earlier: endedBlocks.map((block) => ({ n: block.n, at: block.at, count: countOf(block) })),
      }),
    });
    return { allowed: true, permits: 1 + reserved, standings: this.look(quotas) };
  }

  /** Ends blocks and takes back their unspent permits. Safe to repeat: only the first report of a block counts. */
  end(ended: SpentBlock[]): void {
    const now = Date.now();
    this.#liveEntries(now);
    for (const block of this.#endBlocks(ended, now)) this.#write(block);
  }

  async arm(): Promise<void> {
    if (this.#isArmed) return;
    this.#isArmed = true;
    const alarm = await this.#storage.getAlarm();
    const wanted = Date.now() + this.#windowMs;
    if (alarm === null || alarm > wanted) await this.#storage.setAlarm(wanted);
  }

  /** Handles the alarm: returns whether every entry has expired, or schedules the next alarm. */
  async sweep(): Promise<boolean> {
    const last = this.#liveEntries(Date.now()).at(-1);
    this.#isArmed = last !== undefined;
    if (last !== undefined) await this.#storage.setAlarm(last.at + this.#windowMs);
    return last === undefined;
  }

  /** Deletes the stored log, for an object that stores other things too. */
  clear(): void {
    for (const [slot] of this.#storage.kv.list({ prefix: PREFIX })) this.#storage.kv.delete(slot);
  }

  /** Ends blocks in memory, and returns those that were open. */
  #endBlocks(ended: SpentBlock[], now: number): Entry[] {
    const blocks = ended.flatMap(({ id, spent }) => {
      const entry = this.#entries?.find((one) => one.id === id);
      if (entry === undefined) this.#endedEarly = [id, ...this.#endedEarly].slice(0, MAX_ENDED_EARLY);
      if (!entry?.reserved) return [];
      entry.count = Math.max(1, Math.min(spent, countOf(entry)));
      entry.reserved = 0;
      // A late report may be about permits that were spent late.
      entry.at = Math.max(entry.at, now);
      return entry;
    });
    this.#sort();
    return blocks;
  }

  /** An open block may give permits back before the oldest entry expires. */
  #shortenReset(standing: Standing, now: number): Standing {
    const block = this.#entries?.find(
      ({ names, reserved = 0, at }) => names.includes(standing.name) && reserved > 0 && at > now,
    );
    if (block === undefined || standing.remaining > 0) return standing;
    return { ...standing, resetMs: Math.min(standing.resetMs, block.at - now) };
  }

  #countReserved(): number {
    return (this.#entries ?? []).reduce((sum, { reserved = 0 }) => sum + reserved, 0);
  }

  #add(entry: Entry): void {
    this.#write(entry);
    this.#entries?.push(entry);
    this.#sort();
    this.#nextPosition = entry.n + 1;
  }

  #write(entry: Entry): void {
    this.#storage.kv.put(`${PREFIX}${entry.slot}`, entry);
  }

  #sort(): void {
    this.#entries?.sort((a, b) => a.at - b.at);
  }

  #liveEntries(now: number): Entry[] {
    this.#entries ??= this.#read();
    // The clock went back. No permit was spent after now, so entries may count from now: never too short.
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
    stored.sort((a, b) => a.n - b.n);
    const byPosition = new Map(stored.map((entry) => [entry.n, entry]));
    for (const { earlier = [] } of stored)
      for (const block of earlier) {
        const entry = byPosition.get(block.n);
        if (entry !== undefined) Object.assign(entry, block, { reserved: 0 });
      }
    this.#nextPosition = (stored.at(-1)?.n ?? -1) + 1;
    this.#slotCount = Math.max(-1, ...stored.map(({ slot }) => slot)) + 1;
    return stored;
  }
}
