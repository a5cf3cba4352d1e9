import { sleep } from "../../core/timers.ts";

/** The work of one request, for which other requests can wait. */
export class InFlight<T> {
  #outcome: PromiseSettledResult<T> | undefined;
  /** Resolves when the work ends. Only the request that does the work may await it. */
  readonly settled: Promise<void>;

  constructor(work: Promise<T>) {
    this.settled = Promise.allSettled([work]).then(([outcome]) => {
      this.#outcome = outcome;
    });
  }

  get isSettled(): boolean {
    return this.#outcome !== undefined;
  }

  async wait(ms: number): Promise<T> {
    // Poll: a promise of another request may never settle here, above all if workerd cancels that request.
    // Add up the delays, because the clock may stop or jump.
    for (let waited = 0, delay = 0; this.#outcome === undefined; waited += delay) {
      if (waited >= ms) throw new Error(`no result within ${ms} ms`);
      delay = Math.min(1 + waited / 4, ms - waited);
      await sleep(delay);
    }
    if (this.#outcome.status === "rejected") throw this.#outcome.reason;
    return this.#outcome.value;
  }
}

/** Runs one work at a time for several requests, any of which may be cancelled with its work. */
export class OneAtATime {
  #current: InFlight<void> | undefined;
  #startedAt = 0;
  readonly #maxMs: number;

  /** @param maxMs work that takes longer is given up */
  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /**
   * Starts a work when no other is in flight, unless `isOver` by then.
   * @param work never rejects. It gets a function that returns false once the work is given up
   */
  async run(isOver: () => boolean, work: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    while (!isOver()) {
      const other = this.#current;
      if (other === undefined || other.isSettled) {
        const own: InFlight<void> = new InFlight(work(() => this.#current === own));
        this.#current = own;
        this.#startedAt = Date.now();
        return own.settled;
      }
      await other.wait(this.#maxMs - Math.abs(Date.now() - this.#startedAt)).catch(() => {
        if (this.#current === other) this.#current = undefined;
      });
    }
  }
}
