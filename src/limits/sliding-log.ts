/** How many hits a name allows in any window. */
export type Quotas = Readonly<Record<string, number>>;

/** How a quota stands: what is left of it, and in how many milliseconds the oldest hit stops counting. */
export interface Standing {
  name: string;
  quota: number;
  remaining: number;
  resetMs: number;
}

interface Hit {
  /** Position in the log, one more than the hit before. */
  n: number;
  at: number;
  /** Which request it was, so that a repeated call counts once. */
  id: string;
  /** The quotas it counts in. */
  names: string[];
}

const PREFIX = "hit:";
// Slots are reused after so many hits: more than any quota, so that a slot's old hit has expired.
const RING = 1024;

/**
 * An exact sliding window (E3): the moments of the hits themselves, in a ring of stored slots. An allowed hit is one
 * write, a refused one none; what is in memory can be lost and is read back.
 */
export class SlidingLog {
  readonly #storage: DurableObjectStorage;
  readonly #windowMs: number;
  #hits: Hit[] | undefined;
  #next = 0;
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
      // The hit whose end makes room: the oldest, or a later one where the quota has been lowered since.
      const first = counted[Math.max(0, counted.length - quota)];
      return {
        name,
        quota,
        remaining: Math.max(0, quota - counted.length),
        resetMs: first === undefined ? this.#windowMs : first.at + this.#windowMs - now,
      };
    });
  }

  /** Counts one hit in every quota, or in none if one of them is used up. A known id has been counted already. */
  hit(id: string, quotas: Quotas): { allowed: boolean; standings: Standing[] } {
    const known = this.#live(Date.now()).some((hit) => hit.id === id);
    if (!known) {
      const standings = this.look(quotas);
      if (standings.some(({ remaining }) => remaining === 0)) return { allowed: false, standings };
      this.#add(
        { n: this.#next, at: this.#now(), id, names: Object.keys(quotas) },
        Math.max(...Object.values(quotas)),
      );
    }
    return { allowed: true, standings: this.look(quotas) };
  }

  /** Asks for the alarm that finds out when nothing counts any more. */
  async arm(): Promise<void> {
    if (this.#isArmed) return;
    this.#isArmed = true;
    const alarm = await this.#storage.getAlarm();
    const wanted = Date.now() + this.#windowMs;
    if (alarm === null || alarm > wanted) await this.#storage.setAlarm(wanted);
  }

  /** What the alarm does: answers whether nothing counts any more, or comes back when the last hit stops counting. */
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

  #add(hit: Hit, quota: number): void {
    this.#storage.kv.put(`${PREFIX}${hit.n % Math.max(RING, quota)}`, hit);
    this.#hits?.push(hit);
    this.#next = hit.n + 1;
  }

  /** Never earlier than the last hit, so that a clock that jumps back opens no second window. */
  #now(): number {
    return Math.max(Date.now(), this.#hits?.at(-1)?.at ?? 0);
  }

  #live(now: number): Hit[] {
    if (this.#hits === undefined) {
      this.#hits = Array.from(this.#storage.kv.list<Hit>({ prefix: PREFIX }), ([, hit]) => hit).sort(
        (a, b) => a.n - b.n,
      );
      this.#next = (this.#hits.at(-1)?.n ?? -1) + 1;
    }
    while (this.#hits[0] !== undefined && this.#hits[0].at <= now - this.#windowMs) this.#hits.shift();
    return this.#hits;
  }
}
