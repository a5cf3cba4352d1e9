/**
 * Work that one request does and others wait for. A promise of another request is not to be waited for: that request may be
 * gone in the middle, and at times the runtime loses what is settled across requests. So whoever waits looks by timers
 * of its own.
 */
export class SharedWork<T> {
  #outcome: PromiseSettledResult<T> | undefined;
  /** Resolves when the work is over, however it ended; for the request that does it. */
  readonly over: Promise<void>;

  constructor(work: Promise<T>) {
    this.over = Promise.allSettled([work]).then(([outcome]) => {
      this.#outcome = outcome;
    });
  }

  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /**
   * Answers what the work answers.
   * @param ms for how long to wait
   * @throws what the work throws; an error of its own when that takes longer
   */
  async wait(ms: number): Promise<T> {
    // Naps are counted and not measured: a clock may stand or jump. What takes longer is looked at less often.
    for (let waited = 0, nap = 0; this.#outcome === undefined; waited += nap) {
      if (waited >= ms) throw new Error(`no answer within ${ms} ms`);
      nap = Math.min(1 + waited / 4, ms - waited);
      await new Promise((wake) => setTimeout(wake, nap));
    }
    if (this.#outcome.status === "rejected") throw this.#outcome.reason;
    return this.#outcome.value;
  }
}
