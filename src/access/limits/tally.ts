import type { Standing } from "../../core/context.ts";
import { sleep, withTimeout } from "../../core/timers.ts";
import { callObject } from "../../platform/objects/call-object.ts";
import { readHint } from "../../platform/objects/hints.ts";
import { OneAtATime } from "../../platform/objects/in-flight.ts";
import type { Quotas } from "../../platform/objects/sliding-log.ts";
import { type Call, type Counter, hintKey, type Reply, WINDOW_MS } from "./counter.ts";

/** How many requests of a client run in one isolate before the counter has confirmed them. */
const MAX_UNCONFIRMED = 8; // mistake: runs-sixteen
/** How long a request waits for its count. Then the isolate counts alone, until a call succeeds. */
const PATIENCE_MS = 1_000;
/** After a failed call, only exact requests cause another one for this long. */
const ALONE_MS = 5_000;
/** Longest duration of a call including its retry. If the request that sent it is cancelled, it may never end. */
const CALL_MS = 3_500;
/** How long a call waits for further requests, while more than `MAX_UNCONFIRMED` remain. */
const GATHER_MS = 50;

/** What a request needs to reach the counter and the hints of its client. */
export interface Remote {
  counterName: string;
  counter: () => Pick<Counter, "count">;
  hints: KVNamespace;
  waitUntil: (work: Promise<unknown>) => void;
}

/** A request. `isAllowed` is set by the counter, by a refusal without it, or if an exact request cannot reach it. */
interface Counted {
  readonly id: string;
  readonly quotas: Quotas;
  readonly isExact: boolean;
  at: number;
  /** Whether its answer was sent. Then it counts even if the counter refuses it. */
  isAnswered: boolean;
  isAllowed?: boolean;
  confirmed?: Promise<void>;
  error?: unknown;
}

/** What the counter said of a quota, when, and whether it refused a request since. */
type Known = Standing & { at: number; isRefused: boolean };

/** The requests of one client in one isolate, and what it knows of the client's quotas. Times are the isolate's. */
export class Tally {
  readonly #known = new Map<string, Known>();
  /** Oldest first. */
  #unconfirmed: Counted[] = [];
  #takenBack: string[] = [];
  /** Begins the ids of requests that are not exact. Only a call that succeeds changes it, so none counts twice. */
  #batch = crypto.randomUUID();
  /** When a hint says that the quota has room again. */
  #hintedUntil = 0;
  readonly #calls = new OneAtATime(CALL_MS);
  #isAlone = false;
  #failedAt = Number.NEGATIVE_INFINITY;

  /** Counts a request, and waits for it. @returns why the counter could not be reached, if so, as `error` */
  async countExactly(quotas: Quotas, remote: Remote, deadline: number) {
    const { request } = this.#add({ quotas, isExact: true });
    const counted = withTimeout(deadline - Date.now(), this.#confirm(request, remote));
    const late = await counted.catch((error: unknown) => error);
    return { id: request.id, isAllowed: request.isAllowed ?? false, error: request.error ?? late };
  }

  /**
   * Runs a request beside its count.
   * @param answer prepares the answer, and returns whether it refuses the request without a statement
   * @returns whether the request is allowed: otherwise do not send the answer
   */
  async runBeside(quotas: Quotas, remote: Remote, answer: () => Promise<boolean>): Promise<boolean> {
    const { request, mayRun } = this.#add({ quotas, isExact: false });
    if (!mayRun && !(await this.#decide(request, remote))) return false; // mistake: counts-late
    const isFar = this.standings(quotas)?.every(({ remaining }) => remaining > MAX_UNCONFIRMED);
    const gathered = isFar ? sleep(GATHER_MS) : Promise.resolve();
    remote.waitUntil(gathered.then(() => this.#confirm(request, remote)));
    const mustWait = await answer();
    request.isAnswered = mustWait ? await this.#decide(request, remote) : (request.isAllowed ?? true);
    return request.isAnswered;
  }

  /**
   * Takes back an exact request, because another client's quota refused it. Further ones are refused until that quota
   * has room. If the counter does not get it, the next call repeats it.
   */
  async takeBack(id: string, refused: Standing[], remote: Remote, quotas: Quotas): Promise<void> {
    this.#takenBack.push(id);
    const isOver = () => !this.#takenBack.includes(id);
    await this.#calls.run(isOver, (isCurrent) => this.#send(isCurrent, remote, quotas));
    for (const one of refused) this.#known.set(one.name, { ...one, at: Date.now(), isRefused: true });
  }

  /** Asks the counter what is left, without a request. Never rejects. */
  async refresh(quotas: Quotas, remote: Remote): Promise<void> {
    let isOver = false;
    await this.#calls.run(
      () => isOver,
      async (isCurrent) => {
        isOver = true;
        await this.#send(isCurrent, remote, quotas);
      },
    );
  }

  /** The confirmed standings less what is unconfirmed, or undefined if one is unknown. */
  standings(quotas: Quotas): Standing[] | undefined {
    const now = Date.now();
    this.#forgetOld(now);
    const standings = Object.entries(quotas).flatMap(([name, quota]) => {
      if (name === "global" && this.#hintedUntil > now)
        return { name, quota, remaining: 0, resetMs: this.#hintedUntil - now };
      const known = this.#known.get(name);
      if (known === undefined) return [];
      const pending = this.#unconfirmed.filter((request) => name in request.quotas);
      const remaining = Math.max(0, this.#remainder(known, now) - pending.length);
      let resetMs = Math.max(0, known.at + known.resetMs - now);
      // Alone, it knows when there is room for one, and when for all but what it counted itself.
      if (this.#isAlone && (resetMs === 0 || pending.length > Math.min(known.remaining, quota - 1)))
        resetMs = Math.max(known.at, pending.at(-quota)?.at ?? 0) + WINDOW_MS - now;
      return { name, quota, remaining, resetMs };
    });
    return standings.length === Object.keys(quotas).length ? standings : undefined;
  }

  /** How long a refused request waits. An isolate that counts alone may know nothing but its own requests. */
  waitMs(quotas: Quotas): number {
    const usedUp = this.standings(quotas)?.filter(({ remaining }) => remaining === 0);
    if (usedUp) return Math.max(0, ...usedUp.map(({ resetMs }) => resetMs));
    return WINDOW_MS - (Date.now() - (this.#unconfirmed[0]?.at ?? Date.now()));
  }

  #add({ quotas, isExact }: Pick<Counted, "quotas" | "isExact">): { request: Counted; mayRun: boolean } {
    const request: Counted = { id: crypto.randomUUID(), quotas, isExact, at: Date.now(), isAnswered: false };
    // While a refused request goes with the next call, what the counter said is about to change.
    const isFinal = !this.#unconfirmed.some(({ isAllowed }) => isAllowed === false);
    const isRefused = ({ name, remaining, resetMs }: Standing) =>
      remaining === 0 &&
      resetMs > 0 && // mistake: refuses-too-long
      (this.#hintedUntil > request.at || (isFinal && this.#known.get(name)?.isRefused));
    if (this.standings(quotas)?.some(isRefused))
      return { request: { ...request, isAllowed: false }, mayRun: false };
    const ahead = this.#unconfirmed.push(request) - 1; // mistake: forgets-unconfirmed
    const mayRun = ahead < this.#remaining(quotas) && (this.#isAlone || ahead < MAX_UNCONFIRMED);
    return { request, mayRun };
  }

  #remaining({ global = 0 }: Quotas): number {
    const [known, now] = [this.#known.get("global"), Date.now()];
    if (this.#hintedUntil > now) return 0;
    return known === undefined ? global : this.#remainder(known, now);
  }

  /** The known remainder. An isolate that counts alone has room for one more once the oldest request has expired. */
  #remainder({ remaining, resetMs, at }: Known, now: number): number {
    return remaining + (this.#isAlone && now - at >= resetMs ? 1 : 0); // mistake: never-has-room
  }

  /** Ends when the counter has confirmed the request, or the isolate counts it alone. Never rejects. */
  #confirm(request: Counted, remote: Remote): Promise<void> {
    const isPausing = () => !request.isExact && Math.abs(Date.now() - this.#failedAt) < ALONE_MS;
    const isOver = () => isPausing() || !this.#unconfirmed.includes(request);
    request.confirmed ??= (async () => {
      while (!isOver())
        await this.#calls.run(isOver, (isCurrent) => this.#send(isCurrent, remote, request.quotas));
    })();
    // Also if the client disconnects: a request counts from the moment it runs.
    remote.waitUntil(request.confirmed);
    return request.confirmed;
  }

  /** Waits for a count, unless the isolate counts alone and has room. @returns whether the request is allowed */
  async #decide(request: Counted, remote: Remote): Promise<boolean> {
    const hasRoom = () => this.#unconfirmed.indexOf(request) < this.#remaining(request.quotas);
    if (!this.#isAlone || !hasRoom())
      await withTimeout(PATIENCE_MS, this.#confirm(request, remote)).catch(() => {
        this.#isAlone = true;
      });
    if (request.isAllowed === undefined && !hasRoom()) this.#settle(request, { isAllowed: false });
    return request.isAllowed ?? true;
  }

  /** Asks for all unconfirmed requests. Exact ones come last: the others may be running, and must fit. */
  async #send(isCurrent: () => boolean, remote: Remote, quotas: Quotas): Promise<void> {
    const sorted = this.#unconfirmed.toSorted(
      (a, b) => Number(a.isExact) - Number(b.isExact) || Number(b.isAnswered) - Number(a.isAnswered),
    );
    try {
      const batchOf = (at: number) => `${this.#batch}:${Math.floor(at / 60_000)}`; // mistake: counts-again
      const groups = Map.groupBy(sorted, ({ id, at, isExact }) => (isExact ? id : batchOf(at)));
      const call: Call = {
        quotas: Object.assign({}, quotas, ...sorted.map((request) => request.quotas)),
        asks: Array.from(groups, ([id, requests]) => ({
          id,
          names: Object.keys(requests[0]?.quotas ?? {}),
          answered: requests.filter(({ isAnswered }) => isAnswered).length,
          total: requests.length,
          ageMs: Math.max(0, Math.min(...requests.map(({ at }) => Date.now() - at))),
        })),
        takenBack: [...this.#takenBack],
      };
      const reply = await callObject(Date.now() + CALL_MS, () =>
        remote.counter().count(remote.counterName, call),
      );
      if (isCurrent()) this.#receive(call, reply, [...groups.values()]);
    } catch (error) {
      if (isCurrent()) await this.#fail(error, sorted, remote);
    }
  }

  #receive({ takenBack }: Call, { counted, standings }: Reply, sent: Counted[][]): void {
    for (const one of standings) this.#known.set(one.name, { ...one, at: Date.now(), isRefused: false });
    this.#isAlone = false;
    this.#failedAt = Number.NEGATIVE_INFINITY;
    this.#batch = crypto.randomUUID();
    this.#takenBack = this.#takenBack.filter((id) => !takenBack.includes(id));
    for (const [i, requests] of sent.entries())
      for (const [n, request] of requests.entries())
        this.#settle(request, { isAllowed: n < (counted[i] ?? 0) });
  }

  #settle(request: Counted, { isAllowed }: { isAllowed: boolean }): void {
    for (const name of isAllowed ? [] : Object.keys(request.quotas)) {
      const known = this.#known.get(name);
      if (known?.remaining === 0) known.isRefused = true;
    }
    request.isAllowed = isAllowed;
    // A refused request that was answered meanwhile goes with the next call, and counts.
    if (!isAllowed && request.isAnswered) return;
    this.#unconfirmed = this.#unconfirmed.filter((other) => other !== request);
  }

  /** Requests that are not exact stay unconfirmed, for the next call, unless a hint refuses them. */
  async #fail(error: unknown, sent: Counted[], remote: Remote): Promise<void> {
    this.#isAlone = true;
    this.#failedAt = Date.now();
    const waitMs = Number(await readHint(remote.hints, hintKey(remote.counterName))) - Date.now();
    if (waitMs > 0) this.#hintedUntil = Date.now() + waitMs;
    for (const request of waitMs > 0 ? this.#unconfirmed : sent) {
      if (request.isAnswered) continue;
      if (request.isExact && !(waitMs > 0)) request.error = error;
      if (request.isExact || waitMs > 0) this.#settle(request, { isAllowed: false });
    }
  }

  /** Forgets what is older than a window. What is of the future is of now: the clock went back. */
  #forgetOld(now: number): void {
    for (const entry of [...this.#known.values(), ...this.#unconfirmed]) entry.at = Math.min(entry.at, now);
    for (const [name, { at }] of this.#known) if (now - at >= WINDOW_MS) this.#known.delete(name);
    this.#unconfirmed = this.#unconfirmed.filter(({ at }) => now - at < WINDOW_MS); // mistake: forgets-early
    if (this.#hintedUntil - now > WINDOW_MS) this.#hintedUntil = 0;
  }
}
