/** After this many failures in a row the circuit opens: only one probe statement is sent per PROBE_MS. */
const FAILURES = 5;
const PROBE_MS = 1000;
/** Each answered statement earns a tenth of a retry, up to `MOST_RETRIES`. */
const RETRY_SHARE = 0.1;
const MOST_RETRIES = 10;

/** A circuit breaker per isolate (E2). A probe does not wait for the previous probe, which may hang. */
export class Breaker {
  #failures = 0;
  #nextProbe = 0;
  #retries = MOST_RETRIES;

  mayTry(): boolean {
    if (this.#failures < FAILURES) return true;
    const wait = this.#nextProbe - Date.now();
    // If the clock jumped back, the wait is longer than PROBE_MS: do not block until the clock catches up.
    if (wait > 0 && wait <= PROBE_MS) return false;
    this.#nextProbe = Date.now() + PROBE_MS;
    return true;
  }

  /** Limits retries: without a limit they would double the load of a failing database. */
  mayRetry(): boolean {
    if (this.#failures >= FAILURES || this.#retries < 1) return false;
    this.#retries -= 1;
    return true;
  }

  answered(): void {
    this.#failures = 0;
    this.#retries = Math.min(MOST_RETRIES, this.#retries + RETRY_SHARE);
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures === FAILURES) this.#nextProbe = Date.now() + PROBE_MS;
  }
}
