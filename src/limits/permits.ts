import type { Standing } from "../core/context.ts";
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
  type Verdict,
} from "./sliding-log.ts";

/** What a request needs to take a permit. Its deadline is in epoch milliseconds. */
export interface PermitRequest {
  counter: () => Pick<Counter, "hit" | "end">;
  quotas: Quotas;
  deadline: number;
  waitUntil: (work: Promise<unknown>) => void;
}

/** A call of the counter. `onGrant` gets the number of permits before the reply is used. */
interface Hit extends Omit<PermitRequest, "waitUntil"> {
  id: string;
  reservation: ReservationRequest;
  onGrant?: (permits: number) => void;
}

/** The permits of a block that this isolate may spend without a call. Times are those of its clock. */
interface Lease {
  id: string;
  permits: number;
  unspent: number;
  requestedAt: number;
  lastReadAt: number;
}

/** Lifetime of a lease. Its block lives a second longer, which leaves time for the report. */
const LEASE_MS = 4_000;
/** A lease is sized so that it is spent in half its lifetime. */
const SPEND_TARGET_MS = LEASE_MS / 2;
const MAX_UNREPORTED = 2 * MAX_RESERVED;
/** Longest duration of a call including its retry. If the request is cancelled, the call may never end. */
const CALL_MS = 3_500;

/** The permits of one client in one isolate. One call at a time requests a block. Others wait for it. */
export class Permits {
  readonly #client: string;
  readonly #quotaCache = new QuotaCache();
  #lease: Lease | undefined;
  #unreported: SpentBlock[] = [];
  #lastCall: InFlight<Verdict> | undefined;
  #callCount = 0;
  /** Requests that wait for a call. A cancelled request never leaves the set, so each has a deadline. */
  readonly #waiting = new Set<{ deadline: number }>();
  /** Requests that passed since the last call for a block, and the time of that call. */
  #recent = { passed: 0, since: 0 };

  constructor(client: string) {
    this.#client = client;
  }

  /** Spends a permit of the lease, or requests one from the counter. */
  async take(request: PermitRequest): Promise<Verdict> {
    const names = Object.keys(request.quotas);
    for (;;) {
      const standings = this.#spend(names);
      if (standings) {
        // Last permit of the quota: report the block now, so that other isolates show the correct reset time.
        const isQuotaUsedUp = this.#lease === undefined && standings.some(({ remaining }) => remaining === 0);
        if (isQuotaUsedUp) request.waitUntil(this.#report(request.counter));
        return { allowed: true, standings };
      }
      const refusal = this.#quotaCache.refusal(names);
      if (refusal) return { allowed: false, standings: refusal };
      if (this.#lastCall === undefined || this.#lastCall.isSettled) return this.#requestBlock(request);
      await this.#waitFor(this.#lastCall, request.deadline);
    }
  }

  /** Requests a single permit from the counter, for quotas that must be exact at every moment. */
  async takeExact({ counter, quotas, deadline }: PermitRequest): Promise<Verdict & { id?: string }> {
    const refusal = this.#quotaCache.refusal(Object.keys(quotas));
    if (refusal) return { allowed: false, standings: refusal };
    const id = crypto.randomUUID();
    const reservation = { waiting: 0, ahead: 0, ended: this.#takeUnreported() };
    const hit = this.#hit({ id, counter, quotas, deadline, reservation });
    const verdict = await hit.catch((error: unknown) => {
      this.#keepUnreported(reservation.ended);
      throw error;
    });
    return { ...verdict, id };
  }

  /**
   * Gives back a single permit, because a quota of another client refused its request. If the counter does not
   * get the report, the next call repeats it. Requests of this client are refused until that quota has room.
   * @returns the standings, including those of the other client
   */
  async giveBack(
    id: string,
    refused: Standing[],
    { counter, quotas, deadline }: PermitRequest,
  ): Promise<Standing[]> {
    const names = Object.keys(quotas);
    this.#unreported.push({ id, spent: 0 });
    await this.#report(counter, deadline);
    this.#quotaCache.giveBack(names, refused, this.#callCount);
    return this.#quotaCache.standings(names);
  }

  /** Spends a permit of the lease and returns the standings after it; undefined if the lease has ended. */
  #spend(names: string[]): Standing[] | undefined {
    const now = Date.now();
    const lease = this.#lease;
    if (lease === undefined) return undefined;
    const standings = this.#quotaCache.standings(names);
    // If the clock went back, the age of the lease is unknown. An unknown quota also needs a call.
    if (now - lease.requestedAt >= LEASE_MS || now < lease.lastReadAt || standings.length < names.length) {
      this.#endLease(lease);
      return undefined;
    }
    lease.lastReadAt = now;
    lease.unspent -= 1;
    this.#recent.passed += 1;
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

  /** Adds the unspent leased permits to `remaining`: the counter already counts them as used. */
  #addUnspent(standings: Standing[]): Standing[] {
    const unspent = this.#lease?.unspent ?? 0;
    return standings.map((standing) =>
      standing.name === "global" ? { ...standing, remaining: standing.remaining + unspent } : standing,
    );
  }

  /** Waits for the call of another request, at most `CALL_MS`: that request may have been cancelled. */
  async #waitFor(call: InFlight<Verdict>, deadline: number): Promise<void> {
    const waiter = { deadline: Math.min(Date.now() + CALL_MS, deadline) };
    this.#waiting.add(waiter);
    try {
      await call.wait(waiter.deadline - Date.now());
    } catch (error) {
      if (call.isSettled || Date.now() >= deadline) throw error;
      if (this.#lastCall === call) this.#lastCall = undefined;
    } finally {
      this.#waiting.delete(waiter);
    }
  }

  #countWaiting(now: number): number {
    for (const waiter of this.#waiting) if (waiter.deadline <= now) this.#waiting.delete(waiter);
    return this.#waiting.size;
  }

  async #requestBlock({ counter, quotas, deadline, waitUntil }: PermitRequest): Promise<Verdict> {
    const id = crypto.randomUUID();
    const requestedAt = Date.now();
    const reservation: ReservationRequest = {
      waiting: this.#countWaiting(requestedAt),
      ahead: this.#expectedRequests(requestedAt),
      ended: this.#takeUnreported(),
    };
    const isReserving = reservation.waiting + reservation.ahead > 0;
    // The timer starts before the call, and ends the lease in time even if the clock goes back.
    const leaseTimer = isReserving ? startTimer(LEASE_MS) : undefined;
    const onGrant = (permits: number) => {
      const lease = { id, permits, unspent: permits - 1, requestedAt, lastReadAt: requestedAt };
      if (permits > 1 && this.#lastCall === call) this.#lease = lease;
      else if (permits > 1) this.#endLease(lease);
    };
    // The call may outlive this request's deadline, because other requests wait for it.
    const hit = this.#hit({ id, counter, quotas, deadline: requestedAt + CALL_MS, reservation, onGrant });
    const verdict = hit.catch((error: unknown) => {
      // The counter may have granted the block, so report it as ended.
      this.#keepUnreported([...reservation.ended, ...(isReserving ? [{ id, spent: 1 }] : [])]);
      throw error;
    });
    const call = new InFlight(verdict);
    this.#lastCall = call;
    waitUntil(this.#endAndReport(id, leaseTimer, call, counter));
    return withTimeout(deadline - requestedAt, verdict);
  }

  /** Ends the lease of a block within its lifetime, and reports the block if no call has done so. */
  async #endAndReport(
    id: string,
    leaseTimer: ReturnType<typeof startTimer> | undefined,
    call: InFlight<Verdict>,
    counter: PermitRequest["counter"],
  ): Promise<void> {
    await call.settled;
    const isUnreported = () => this.#unreported.some((block) => block.id === id);
    if (this.#lease?.id !== id && !isUnreported()) return leaseTimer?.cancel();
    await leaseTimer?.elapsed;
    if (this.#lease?.id === id) this.#endLease(this.#lease);
    if (isUnreported()) await this.#report(counter);
  }

  async #report(counter: PermitRequest["counter"], deadline = Date.now() + CALL_MS): Promise<void> {
    const ended = this.#takeUnreported();
    await callObject(deadline, () => counter().end(ended)).catch(() => this.#keepUnreported(ended));
  }

  /** Estimates how many requests will come in `SPEND_TARGET_MS`, from the rate since the last call. */
  #expectedRequests(now: number): number {
    const { passed, since } = this.#recent;
    this.#recent = { passed: 1, since: now };
    // Limits growth to a factor of two: two requests close together do not show a steady rate.
    return now < since
      ? 0
      : Math.min(MAX_RESERVED, 2 * passed, Math.floor((passed * SPEND_TARGET_MS) / (now - since + 1)));
  }

  async #hit({ id, counter, quotas, deadline, reservation, onGrant }: Hit): Promise<Verdict> {
    this.#callCount += 1;
    const callNumber = this.#callCount;
    const verdict = await callObject(deadline, () => counter().hit(this.#client, id, quotas, reservation));
    const { isNewest, standings } = this.#quotaCache.update(verdict, callNumber);
    onGrant?.(verdict.permits ?? 1);
    if (!verdict.allowed) return verdict;
    // If the reply to a later call arrived first, show the lower of the two standings.
    const lowest = this.#addUnspent(standings).map((cached) => {
      const received = verdict.standings.find(({ name }) => name === cached.name);
      return isNewest || received === undefined
        ? cached
        : { ...cached, remaining: Math.min(cached.remaining, received.remaining) };
    });
    return { ...verdict, standings: lowest };
  }
}

const startTimer = (ms: number) => {
  let timer: ReturnType<typeof setTimeout>;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { elapsed, cancel: () => clearTimeout(timer) };
};
