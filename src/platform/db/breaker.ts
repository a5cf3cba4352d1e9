/** After this many lost connections in a row, the circuit opens: one statement per PROBE_MS is sent. */
const FAILURE_THRESHOLD = 5;
const PROBE_MS = 1000;
/** Each response adds a tenth of a retry, up to `MAX_RETRIES`. */
const RETRY_SHARE = 0.1;
const MAX_RETRIES = 10;

/** A circuit breaker per isolate (E2). A probe does not wait for the previous probe, which may hang. */
export class Breaker {
  #failures = 0;
  #nextProbe = 0;
  #retries = MAX_RETRIES;

  /** Whether a statement may be sent. If the circuit is open, returns true once per PROBE_MS. */
  mayTry(): boolean {
    if (this.#failures < FAILURE_THRESHOLD) return true;
    const wait = this.#nextProbe - Date.now();
    // If the clock went back, the wait is longer than PROBE_MS: do not block until the clock catches up.
    if (wait > 0 && wait <= PROBE_MS) return false;
    this.#nextProbe = Date.now() + PROBE_MS;
    return true;
  }

  /** Uses up one retry if one is left: unlimited retries would double the load of a failing database. */
  takeRetry(): boolean {
    if (this.#failures >= FAILURE_THRESHOLD || this.#retries < 1) return false;
    this.#retries -= 1;
    return true;
  }

  /** Postgres responded, with rows or an error. */
  recordResponse(): void {
    this.#failures = 0;
    this.#retries = Math.min(MAX_RETRIES, this.#retries + RETRY_SHARE);
  }

  recordConnectionLoss(): void {
    this.#failures += 1;
    if (this.#failures === FAILURE_THRESHOLD) this.#nextProbe = Date.now() + PROBE_MS;
  }
}
