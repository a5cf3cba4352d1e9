/** Work of one request that other requests wait for. */
export class InFlight<T> {
  #outcome: PromiseSettledResult<T> | undefined;
  /** Resolves when the work ends. Only the request that does the work may await it. */
  readonly over: Promise<void>;

  constructor(work: Promise<T>) {
    this.over = Promise.allSettled([work]).then(([outcome]) => {
      this.#outcome = outcome;
    });
  }

  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  async wait(ms: number): Promise<T> {
    // Poll: workerd loses a promise of another request if it cancels that request, and sometimes even if it does not.
    // Add up the sleeps, because the clock may stop or jump.
    for (let waited = 0, nap = 0; this.#outcome === undefined; waited += nap) {
      if (waited >= ms) throw new Error(`no result within ${ms} ms`);
      nap = Math.min(1 + waited / 4, ms - waited);
      await new Promise((wake) => setTimeout(wake, nap));
    }
    if (this.#outcome.status === "rejected") throw this.#outcome.reason;
    return this.#outcome.value;
  }
}
