/** How many requests a name allows in any window. */
export type Quotas = Readonly<Record<string, number>>;

/** How a quota stands: what is left of it, and in how many milliseconds the oldest request stops counting. */
export interface Standing {
  name: string;
  quota: number;
  remaining: number;
  resetMs: number;
}

/** How a block of permits ended: how many of them were spent, the one of the request that asked included. */
export interface End {
  id: string;
  spent: number;
}

/** What a call asks for besides one permit; nothing, where it is not said. */
export interface Want {
  /** Permits for requests that wait already. */
  waiting: number;
  /** Permits for requests that are expected to come. */
  ahead: number;
  /** Blocks that have ended since the last call. */
  ended: End[];
}

/** Whether a request may pass, and how many with it. */
export interface Verdict {
  allowed: boolean;
  /** Permits given, the one of the request that asked included; undefined from an object of the release before: one. */
  permits?: number;
  standings: Standing[];
}

/** For how long the permits of a block may be spent, counted from when it was asked for. */
export const BLOCK_MS = 5_000;

/** Permits of one client that may be reserved and not known to be spent, in all its blocks together. */
export const MAX_RESERVED = 16;
/** Of what is left of a quota, one in so many is reserved for requests still to come: near its end, none. */
const SHARE = 8;

/** One write: a request, or a block of them. */
interface Entry {
  /** Position in the log, one more than the entry before. */
  n: number;
  /** Where it is stored. */
  slot: number;
  /** From when it counts: for a block never before its last permit was spent. */
  at: number;
  /** Which call it was, so that a repeated one counts once. */
  id: string;
  /** The quotas it counts in. */
  names: string[];
  /** Permits it counts for: one, where it is not said. */
  count?: number;
  /** Permits of it that are reserved and not known to be spent. Only blocks have it: 0 once their end was told. */
  reserved?: number;
  /** What earlier blocks had come to when this was written. */
  earlier?: { n: number; at: number; count: number }[];
}

const PREFIX = "hit:";
/** Ends of blocks nobody knows, kept for the calls that ask for them too late. */
const MAX_LATE = 64;

const countOf = ({ count = 1 }: Entry): number => count;

/**
 * An exact sliding window (E3): a log of the moments at which permits were given, in stored slots, of which one is
 * used again when what it held has expired. What is allowed is one write, a refusal none; what is in memory can be lost and
 * is read back.
 *
 * A block is written before any of its permits is spent, and counts from its end on: each of its permits counts for at
 * least the window after it was spent, so that what may pass is never more than the quota, whatever is killed when.
 */
export class SlidingLog {
  readonly #storage: DurableObjectStorage;
  readonly #windowMs: number;
  /** By the moment they count from, the earliest first. */
  #entries: Entry[] | undefined;
  #next = 0;
  /** Slots that can be used again, and how many there are in all. */
  #free: number[] = [];
  #slots = 0;
  /** Blocks that were ended before they were asked for. */
  #late: string[] = [];
  #seen = Number.POSITIVE_INFINITY;
  #isArmed = false;

  constructor(storage: DurableObjectStorage, windowMs: number) {
    this.#storage = storage;
    this.#windowMs = windowMs;
  }

  /** How each quota stands, without counting anything. */
  look(quotas: Quotas): Standing[] {
    const now = Date.now();
    const live = this.#live(now);
    return Object.entries(quotas).map(([name, quota]) => {
      const counted = live.filter(({ names }) => names.includes(name));
      const used = counted.reduce((sum, entry) => sum + countOf(entry), 0);
      const remaining = Math.max(0, quota - used);
      // What makes room is the end of the oldest, or of a later one where the quota has been lowered since.
      let beyond = Math.max(0, used - quota);
      const first = counted.find((entry) => {
        beyond -= countOf(entry);
        return beyond < 0;
      });
      return {
        name,
        quota,
        remaining,
        resetMs: first === undefined ? this.#windowMs : first.at + this.#windowMs - now,
      };
    });
  }

  /**
   * Counts one permit in every quota, and more of them if asked to; or none if a quota is used up. A known id has been
   * counted already.
   */
  hit(id: string, quotas: Quotas, { waiting, ahead, ended }: Partial<Want> = {}): Verdict {
    const now = Date.now();
    const known = this.#live(now).find((entry) => entry.id === id);
    if (known) return { allowed: true, permits: countOf(known), standings: this.look(quotas) };
    if (this.#late.includes(id)) throw new Error("this call came too late");
    const closed = this.#close(ended ?? [], now);
    const left = Math.min(...this.look(quotas).map(({ remaining }) => remaining));
    if (left === 0) {
      for (const entry of closed) this.#write(entry);
      return { allowed: false, standings: this.look(quotas).map((one) => this.#orBack(one, now)) };
    }
    const reserved = Math.max(
      0,
      Math.min(
        (waiting ?? 0) + Math.min(ahead ?? 0, Math.floor(left / SHARE)),
        MAX_RESERVED - this.#reserved(),
        left - 1,
      ),
    );
    this.#add({
      n: this.#next,
      slot: this.#free.pop() ?? this.#slots++,
      at: now + (reserved > 0 ? BLOCK_MS : 0),
      id,
      names: Object.keys(quotas),
      ...(reserved > 0 && { count: 1 + reserved, reserved }),
      ...(closed.length > 0 && {
        earlier: closed.map((entry) => ({ n: entry.n, at: entry.at, count: countOf(entry) })),
      }),
    });
    return { allowed: true, permits: 1 + reserved, standings: this.look(quotas) };
  }

  /** Notes how blocks ended, and so takes back what was not spent. Safe to repeat: the first word on a block stands. */
  end(ended: End[]): void {
    const now = Date.now();
    this.#live(now);
    for (const entry of this.#close(ended, now)) this.#write(entry);
  }

  /** Asks for the alarm that finds out when nothing counts any more. */
  async arm(): Promise<void> {
    if (this.#isArmed) return;
    this.#isArmed = true;
    const alarm = await this.#storage.getAlarm();
    const wanted = Date.now() + this.#windowMs;
    if (alarm === null || alarm > wanted) await this.#storage.setAlarm(wanted);
  }

  /** What the alarm does: answers whether nothing counts any more, or comes back when the last entry stops counting. */
  async sweep(): Promise<boolean> {
    const last = this.#live(Date.now()).at(-1);
    this.#isArmed = last !== undefined;
    if (last !== undefined) await this.#storage.setAlarm(last.at + this.#windowMs);
    return last === undefined;
  }

  /** Gives back the slots, where the object keeps something else. */
  clear(): void {
    for (const [slot] of this.#storage.kv.list({ prefix: PREFIX })) this.#storage.kv.delete(slot);
  }

  /** Ends blocks in memory, and answers those whose end is news. */
  #close(ended: End[], now: number): Entry[] {
    const news = ended.flatMap(({ id, spent }) => {
      const entry = this.#entries?.find((one) => one.id === id);
      if (entry === undefined) this.#late = [id, ...this.#late].slice(0, MAX_LATE);
      if (!entry?.reserved) return [];
      entry.count = Math.max(1, Math.min(spent, countOf(entry)));
      entry.reserved = 0;
      // Told late, it may have been spent late.
      entry.at = Math.max(entry.at, now);
      return entry;
    });
    this.#sort();
    return news;
  }

  /** Of a quota that is used up there is more when the next block ends, of which something may come back. */
  #orBack(standing: Standing, now: number): Standing {
    const block = this.#entries?.find(
      ({ names, reserved = 0, at }) => names.includes(standing.name) && reserved > 0 && at > now,
    );
    if (block === undefined || standing.remaining > 0) return standing;
    return { ...standing, resetMs: Math.min(standing.resetMs, block.at - now) };
  }

  #reserved(): number {
    return (this.#entries ?? []).reduce((sum, { reserved = 0 }) => sum + reserved, 0);
  }

  #add(entry: Entry): void {
    this.#write(entry);
    this.#entries?.push(entry);
    this.#sort();
    this.#next = entry.n + 1;
  }

  #write(entry: Entry): void {
    this.#storage.kv.put(`${PREFIX}${entry.slot}`, entry);
  }

  #sort(): void {
    this.#entries?.sort((a, b) => a.at - b.at);
  }

  #live(now: number): Entry[] {
    this.#entries ??= this.#read();
    // After a clock's jump back nothing can have been spent later than now: entries count for longer, never less.
    if (now < this.#seen) {
      for (const entry of this.#entries)
        entry.at = Math.min(entry.at, now + (entry.reserved === undefined ? 0 : BLOCK_MS));
      this.#sort();
    }
    this.#seen = now;
    while (this.#entries[0] !== undefined && this.#entries[0].at <= now - this.#windowMs) {
      this.#free.push(this.#entries[0].slot);
      this.#entries.shift();
    }
    return this.#entries;
  }

  #read(): Entry[] {
    // The release before did not note the slot.
    const stored = Array.from(this.#storage.kv.list<Entry>({ prefix: PREFIX }), ([key, entry]) => ({
      ...entry,
      slot: Number(key.slice(PREFIX.length)),
    }));
    stored.sort((a, b) => a.n - b.n);
    const byPosition = new Map(stored.map((entry) => [entry.n, entry]));
    for (const { earlier = [] } of stored)
      for (const end of earlier) {
        const entry = byPosition.get(end.n);
        if (entry !== undefined) Object.assign(entry, end, { reserved: 0 });
      }
    this.#next = (stored.at(-1)?.n ?? -1) + 1;
    this.#slots = Math.max(-1, ...stored.map(({ slot }) => slot)) + 1;
    return stored;
  }
}
