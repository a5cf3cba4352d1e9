import { withTimeout } from "../core/with-timeout.ts";
import { callObject } from "../objects/call-object.ts";
import { InFlight } from "../objects/in-flight.ts";
import type { Counter } from "./counter.ts";
import { QuotaCache } from "./quota-cache.ts";
import {
  MAX_RESERVED,
  type Quotas,
  type ReservationRequest,
  type SpentBlock,
  type Standing,
  type Verdict,
} from "./sliding-log.ts";

/** What a request needs to take a permit. Its deadline is in epoch milliseconds. */
export interface PermitRequest {
  counter: () => Pick<Counter, "hit" | "end">;
  quotas: Quotas;
  deadline: number;
  waitUntil: (work: Promise<unknown>) => void;
}

/** The permits of a block that this isolate may spend without a call. Times are of the isolate's clock. */
interface Lease {
  id: string;
  permits: number;
  unspent: number;
  askedAt: number;
  lastReadAt: number;
}

/** Lifetime of a lease. Its block lives a second longer, which leaves time for the report. */
const LEASE_MS = 4_000;
/** A lease is sized so that it is spent in half its lifetime. */
const TARGET_MS = LEASE_MS / 2;
const MAX_UNREPORTED = 2 * MAX_RESERVED;
/** A call with its second attempt takes no longer, unless the request that made it was cancelled. */
const CALL_MS = 3_500;

/** The permits of one client in one isolate. At most one call requests a block; other requests wait for that call. */
export class Permits {
  readonly #client: string;
  readonly #quotaCache = new QuotaCache();
  #lease: Lease | undefined;
  /** Ended blocks that the counter does not know of yet. */
  #unreported: SpentBlock[] = [];
  #lastCall: InFlight<Verdict> | undefined;
  #callCount = 0;
  /** Requests that wait for a call. A cancelled request never leaves the set, so each has a time limit. */
  readonly #waiting = new Set<{ until: number }>();
  /** Requests that passed since the last call for a block. */
  #pace = { passed: 0, since: 0 };

  constructor(client: string) {
    this.#client = client;
  }

  /** Spends a permit of the lease, or requests one from the counter. */
  async take(request: PermitRequest): Promise<Verdict> {
    const names = Object.keys(request.quotas);
    for (;;) {
      const standings = this.#spend(names);
      if (standings) {
        // Report the block now, so that refusals in other isolates show the final reset.
        const isLast = this.#lease === undefined && standings.some(({ remaining }) => remaining === 0);
        if (isLast) request.waitUntil(this.#report(request.counter));
        return { allowed: true, standings };
      }
      const refusal = this.#quotaCache.refusal(names);
      if (refusal) return { allowed: false, standings: refusal };
      if (this.#lastCall === undefined || this.#lastCall.isOver) return this.#askForBlock(request);
      await this.#waitFor(this.#lastCall, request.deadline);
    }
  }

  /** Asks the counter for a single permit, for quotas that must be exact at every moment. */
  async takeExact({ counter, quotas, deadline }: PermitRequest): Promise<Verdict> {
    const refusal = this.#quotaCache.refusal(Object.keys(quotas));
    if (refusal) return { allowed: false, standings: refusal };
    const reservation = { waiting: 0, ahead: 0, ended: this.#takeUnreported() };
    return this.#hit(deadline, counter, crypto.randomUUID(), quotas, reservation).catch((error: unknown) => {
      this.#keepUnreported(reservation.ended);
      throw error;
    });
  }

  /** Spends a permit of the lease and returns the standings after it; undefined if the lease has ended. */
  #spend(names: string[]): Standing[] | undefined {
    const now = Date.now();
    const lease = this.#lease;
    if (lease === undefined) return undefined;
    const standings = this.#quotaCache.standings(names);
    // After the clock went back, the age of the lease is unknown.
    if (now - lease.askedAt >= LEASE_MS || now < lease.lastReadAt || standings.length < names.length) {
      this.#endLease(lease);
      return undefined;
    }
    lease.lastReadAt = now;
    lease.unspent -= 1;
    this.#pace.passed += 1;
    if (lease.unspent === 0) this.#endLease(lease);
    return this.#addUnspent(standings);
  }

  #endLease({ id, permits, unspent }: Lease): void {
    if (this.#lease?.id === id) this.#lease = undefined;
    this.#unreported.push({ id, spent: permits - unspent });
  }

  #takeUnreported(): SpentBlock[] {
    const ended = this.#unreported;
    this.#unreported = [];
    return ended;
  }

  #keepUnreported(ended: SpentBlock[]): void {
    this.#unreported.unshift(...ended);
    this.#unreported.splice(0, this.#unreported.length - MAX_UNREPORTED);
  }

  /** The counter counts leased permits as used, but the client can still spend them. */
  #addUnspent(standings: Standing[]): Standing[] {
    const unspent = this.#lease?.unspent ?? 0;
    return standings.map((one) =>
      one.name === "global" ? { ...one, remaining: one.remaining + unspent } : one,
    );
  }

  /** Waits for another request's call, but no longer than a call takes: that request may have been cancelled. */
  async #waitFor(call: InFlight<Verdict>, deadline: number): Promise<void> {
    const waiter = { until: Math.min(Date.now() + CALL_MS, deadline) };
    this.#waiting.add(waiter);
    try {
      await call.wait(waiter.until - Date.now());
    } catch (error) {
      if (call.isOver || Date.now() >= deadline) throw error;
      if (this.#lastCall === call) this.#lastCall = undefined;
    } finally {
      this.#waiting.delete(waiter);
    }
  }

  #countWaiting(now: number): number {
    for (const waiter of this.#waiting) if (waiter.until <= now) this.#waiting.delete(waiter);
    return this.#waiting.size;
  }

  async #askForBlock({ counter, quotas, deadline, waitUntil }: PermitRequest): Promise<Verdict> {
    const id = crypto.randomUUID();
    const askedAt = Date.now();
    const reservation: ReservationRequest = {
      waiting: this.#countWaiting(askedAt),
      ahead: this.#expectedRequests(askedAt),
      ended: this.#takeUnreported(),
    };
    const isReserving = reservation.waiting + reservation.ahead > 0;
    // Started before the call. It ends the lease in time even if the clock goes back.
    const leaseTimer = isReserving ? startTimer(LEASE_MS) : undefined;
    const onGrant = (permits: number) => {
      const lease = { id, permits, unspent: permits - 1, askedAt, lastReadAt: askedAt };
      if (permits > 1 && this.#lastCall === call) this.#lease = lease;
      else if (permits > 1) this.#endLease(lease);
    };
    // The call may outlive this request's deadline, because other requests wait for it.
    const verdict = this.#hit(askedAt + CALL_MS, counter, id, quotas, reservation, onGrant).catch(
      (error: unknown) => {
        // The counter may have granted the block, so it must be ended.
        this.#keepUnreported([...reservation.ended, ...(isReserving ? [{ id, spent: 1 }] : [])]);
        throw error;
      },
    );
    const call = new InFlight(verdict);
    this.#lastCall = call;
    waitUntil(this.#giveBack(id, leaseTimer, call, counter));
    return withTimeout(deadline - askedAt, verdict);
  }

  /** Ends the lease of a block in time and reports the block, unless another call has reported it. */
  async #giveBack(
    id: string,
    leaseTimer: ReturnType<typeof startTimer> | undefined,
    call: InFlight<Verdict>,
    counter: PermitRequest["counter"],
  ): Promise<void> {
    await call.over;
    const isUnreported = () => this.#unreported.some((block) => block.id === id);
    if (this.#lease?.id !== id && !isUnreported()) return leaseTimer?.cancel();
    await leaseTimer?.over;
    if (this.#lease?.id === id) this.#endLease(this.#lease);
    if (isUnreported()) await this.#report(counter);
  }

  async #report(counter: PermitRequest["counter"]): Promise<void> {
    const ended = this.#takeUnreported();
    await callObject(Date.now() + CALL_MS, () => counter().end(ended)).catch(() =>
      this.#keepUnreported(ended),
    );
  }

  /** Estimates how many requests come in half the lifetime of a lease, from those since the last call. */
  #expectedRequests(now: number): number {
    const { passed, since } = this.#pace;
    this.#pace = { passed: 1, since: now };
    // At most doubles, because two requests close together are no steady rate yet.
    return now < since
      ? 0
      : Math.min(MAX_RESERVED, 2 * passed, Math.floor((passed * TARGET_MS) / (now - since + 1)));
  }

  async #hit(
    deadline: number,
    counter: PermitRequest["counter"],
    id: string,
    quotas: Quotas,
    reservation: ReservationRequest,
    onGrant: (permits: number) => void = () => undefined,
  ): Promise<Verdict> {
    this.#callCount += 1;
    const number = this.#callCount;
    const verdict = await callObject(deadline, () => counter().hit(this.#client, id, quotas, reservation));
    const { isNewest, standings } = this.#quotaCache.update(verdict, number);
    onGrant(verdict.permits ?? 1);
    if (!verdict.allowed) return verdict;
    // If a later call was answered first, show the lower of the two standings.
    const lowest = this.#addUnspent(standings).map((one) => {
      const answered = verdict.standings.find(({ name }) => name === one.name);
      return isNewest || answered === undefined
        ? one
        : { ...one, remaining: Math.min(one.remaining, answered.remaining) };
    });
    return { ...verdict, standings: lowest };
  }
}

const startTimer = (ms: number) => {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
};
