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
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
    if (this.#outcome.status === "rejected") throw this.#outcome.reason;
    return this.#outcome.value;
  }
}
