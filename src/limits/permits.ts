import { callObject, within } from "../http/objects.ts";
import { SharedWork } from "../http/shared-work.ts";
import type { Counter } from "./counter.ts";
import {
  type End,
  MAX_RESERVED,
  type Quotas,
  type Standing,
  type Verdict,
  type Want,
} from "./sliding-log.ts";
import { Standings } from "./standings.ts";

/** A request on its way to its permit. */
export interface Asking {
  /** A new stub of the client's counter. */
  counter: () => Pick<Counter, "hit" | "end">;
  quotas: Quotas;
  /** Epoch milliseconds after which nobody waits for the answer. */
  deadline: number;
  /** Keeps work alive after the last answer. */
  waitUntil: (work: Promise<unknown>) => void;
}

/** What is left of a block: permits that may be spent without a call. */
interface Lease {
  id: string;
  permits: number;
  left: number;
  /** When its block was asked for, and when it was last looked at, by this isolate's clock. */
  since: number;
  seen: number;
}

/** For how long a lease is held: its block lives a second longer, in which its end can be told. */
const HOLD_MS = 4_000;
/** A lease is as large as is spent in half its time. */
const AIM_MS = HOLD_MS / 2;
/** Ends kept to be told: those of more blocks than can be out at once are old. */
const MAX_ENDED = 2 * MAX_RESERVED;
/** A call takes no longer with its second attempt; if it seems to, the request that made it is gone. */
const CALL_MS = 3_500;

/**
 * The permits one isolate has of one client. Who finds one in hand passes without a call. Else one request asks the
 * counter, for itself and for as many as wait by then; the others wait for its answer, and make no calls of their own.
 */
export class Permits {
  readonly #client: string;
  readonly #standings = new Standings();
  #lease: Lease | undefined;
  /** Blocks whose end the counter has not been told. */
  #ended: End[] = [];
  /** The last call for permits, which may be over. */
  #call: SharedWork<Verdict> | undefined;
  #calls = 0;
  /** Until when each request that waits for another's call will: one whose reader has gone never says so. */
  readonly #waiting = new Set<{ until: number }>();
  /** How many requests have passed since the counter was last asked, and when that was. */
  #pace = { passed: 0, since: 0 };

  constructor(client: string) {
    this.#client = client;
  }

  /**
   * A permit in hand, or one from the counter.
   * @throws what the call of the counter throws
   */
  async take(asking: Asking): Promise<Verdict> {
    const names = Object.keys(asking.quotas);
    for (;;) {
      const standings = this.#spend(names);
      if (standings) {
        // Nothing of it comes back: whoever is refused elsewhere is told how long that lasts.
        const isLast = this.#lease === undefined && standings.some(({ remaining }) => remaining === 0);
        if (isLast) asking.waitUntil(this.#tellEnds(asking.counter));
        return { allowed: true, standings };
      }
      const refusal = this.#standings.refusal(names);
      if (refusal) return { allowed: false, standings: refusal };
      if (this.#call === undefined || this.#call.isOver) return this.#askForMany(asking);
      await this.#wait(this.#call, asking.deadline);
    }
  }

  /**
   * A permit from the counter, for a request whose quotas must be exact to the moment.
   * @throws what the call of the counter throws
   */
  async takeExact({ counter, quotas, deadline }: Asking): Promise<Verdict> {
    const refusal = this.#standings.refusal(Object.keys(quotas));
    if (refusal) return { allowed: false, standings: refusal };
    const want = { waiting: 0, ahead: 0, ended: this.#takeEnded() };
    return this.#hit(deadline, counter, crypto.randomUUID(), quotas, want).catch((error: unknown) => {
      this.#keepEnded(want.ended);
      throw error;
    });
  }

  /** Spends a permit in hand, and answers how the quotas stand then; undefined where there is none. */
  #spend(names: string[]): Standing[] | undefined {
    const now = Date.now();
    const lease = this.#lease;
    if (lease === undefined) return undefined;
    const known = this.#standings.of(names);
    // How long a clock has stood before it jumped back, nobody knows.
    if (now - lease.since >= HOLD_MS || now < lease.seen || known.length < names.length) {
      this.#close(lease);
      return undefined;
    }
    lease.seen = now;
    lease.left -= 1;
    this.#pace.passed += 1;
    if (lease.left === 0) this.#close(lease);
    return this.#withHand(known);
  }

  #close({ id, permits, left }: Lease): void {
    if (this.#lease?.id === id) this.#lease = undefined;
    this.#ended.push({ id, spent: permits - left });
  }

  #takeEnded(): End[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Keeps ends that could not be told. */
  #keepEnded(ended: End[]): void {
    this.#ended.unshift(...ended);
    this.#ended.splice(0, this.#ended.length - MAX_ENDED);
  }

  /** What the counter has left and what is in hand are left together. */
  #withHand(standings: Standing[]): Standing[] {
    const inHand = this.#lease?.left ?? 0;
    return standings.map((one) =>
      one.name === "global" ? { ...one, remaining: one.remaining + inHand } : one,
    );
  }

  /** Waits for another's call, until that can be answered no more: the one who made it may be gone. */
  async #wait(call: SharedWork<Verdict>, deadline: number): Promise<void> {
    const waiter = { until: Math.min(Date.now() + CALL_MS, deadline) };
    this.#waiting.add(waiter);
    try {
      await call.wait(waiter.until - Date.now());
    } catch (error) {
      // A call that failed has failed for all that wait for it.
      if (call.isOver || Date.now() >= deadline) throw error;
      if (this.#call === call) this.#call = undefined;
    } finally {
      this.#waiting.delete(waiter);
    }
  }

  #countWaiting(now: number): number {
    for (const waiter of this.#waiting) if (waiter.until <= now) this.#waiting.delete(waiter);
    return this.#waiting.size;
  }

  async #askForMany({ counter, quotas, deadline, waitUntil }: Asking): Promise<Verdict> {
    const id = crypto.randomUUID();
    const since = Date.now();
    const want: Want = {
      waiting: this.#countWaiting(since),
      ahead: this.#expected(since),
      ended: this.#takeEnded(),
    };
    const mayHaveMore = want.waiting + want.ahead > 0;
    // Begun before the call: a timer ends in time what a clock that jumps would not.
    const hold = mayHaveMore ? startTimer(HOLD_MS) : undefined;
    const onPermits = (permits: number) => {
      const lease = { id, permits, left: permits - 1, since, seen: since };
      if (permits > 1 && this.#call === call) this.#lease = lease;
      else if (permits > 1) this.#close(lease);
    };
    // As long as a call takes, however little time the one who asks has left: others wait for it, too.
    const asked = this.#hit(since + CALL_MS, counter, id, quotas, want, onPermits).catch((error: unknown) => {
      // What it may have been given for others, nobody will spend.
      this.#keepEnded([...want.ended, ...(mayHaveMore ? [{ id, spent: 1 }] : [])]);
      throw error;
    });
    const call = new SharedWork(asked);
    this.#call = call;
    waitUntil(this.#giveBack(id, hold, call, counter));
    return within(deadline - since, asked);
  }

  /** Tells the end of a block, unless another call has told it meanwhile. */
  async #giveBack(
    id: string,
    hold: ReturnType<typeof startTimer> | undefined,
    call: SharedWork<Verdict>,
    counter: Asking["counter"],
  ): Promise<void> {
    await call.over;
    const isHere = () => this.#ended.some((one) => one.id === id);
    if (this.#lease?.id !== id && !isHere()) return hold?.cancel();
    await hold?.over;
    if (this.#lease?.id === id) this.#close(this.#lease);
    if (isHere()) await this.#tellEnds(counter);
  }

  async #tellEnds(counter: Asking["counter"]): Promise<void> {
    const ended = this.#takeEnded();
    await callObject(Date.now() + CALL_MS, () => counter().end(ended)).catch(() => this.#keepEnded(ended));
  }

  /** How many more requests will have come in half the time of a lease, as they came since the last call. */
  #expected(now: number): number {
    const { passed, since } = this.#pace;
    this.#pace = { passed: 1, since: now };
    // Growing by steps, as two requests do not make a stream.
    return now < since
      ? 0
      : Math.min(MAX_RESERVED, 2 * passed, Math.floor((passed * AIM_MS) / (now - since + 1)));
  }

  async #hit(
    deadline: number,
    counter: Asking["counter"],
    id: string,
    quotas: Quotas,
    want: Want,
    onPermits: (permits: number) => void = () => undefined,
  ): Promise<Verdict> {
    this.#calls += 1;
    const number = this.#calls;
    const verdict = await callObject(deadline, () => counter().hit(this.#client, id, quotas, want));
    const { isNews, standings } = this.#standings.learn(verdict, number);
    onPermits(verdict.permits ?? 1);
    if (!verdict.allowed) return verdict;
    // A later call has been answered before: what it said counts, unless this one knows of less.
    const told = this.#withHand(standings).map((one) => {
      const said = verdict.standings.find(({ name }) => name === one.name);
      return isNews || said === undefined
        ? one
        : { ...one, remaining: Math.min(one.remaining, said.remaining) };
    });
    return { ...verdict, standings: told };
  }
}

const startTimer = (ms: number) => {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
};
