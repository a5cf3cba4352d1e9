/** After so many statements in a row without an answer the database counts as down. */
const FAILURES = 5;
/** While it is down, one statement in so many milliseconds tries whether it is back. */
const PROBE_MS = 1000;
/** Retries are a tenth of all statements at most, and a few at once. */
const RETRY_SHARE = 0.1;
const MOST_RETRIES = 10;

/**
 * What one isolate knows of the database's health (E2). Once it is down, requests are refused at once instead of
 * waiting for their deadline; a probe does not wait for the probe before it, which may hang.
 */
export class Breaker {
  #failures = 0;
  #nextProbe = 0;
  #retries = MOST_RETRIES;

  /** Whether a statement may be sent now. */
  mayTry(): boolean {
    if (this.#failures < FAILURES) return true;
    const wait = this.#nextProbe - Date.now();
    // A longer wait than there can be: the clock has jumped back.
    if (wait > 0 && wait <= PROBE_MS) return false;
    this.#nextProbe = Date.now() + PROBE_MS;
    return true;
  }

  /** Whether a failed statement may be sent again: with a database in trouble, retries would double its load. */
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
