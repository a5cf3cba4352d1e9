import { DurableObject } from "cloudflare:workers";
import { BLOCK_MS, type End, type Quotas, SlidingLog, type Standing, type Want } from "./sliding-log.ts";

/** Length of every window (E3). */
export const WINDOW_MS = 900_000;

/** The KV key under which a client's block is noted. */
export const hintKey = (client: string) => `blocked:${client}`;

/** The requests of one client in the last 900 seconds. */
export class Counter extends DurableObject<Env> {
  readonly #log = new SlidingLog(this.ctx.storage, WINDOW_MS);
  #hintedUntil = 0;

  /**
   * Counts a request, in all quotas or none, and reserves permits for others. Safe to repeat with the same id.
   * @param want undefined from a Worker of the release before
   */
  async hit(client: string, id: string, quotas: Quotas, want?: Want) {
    const verdict = this.#log.hit(id, quotas, want);
    if (verdict.allowed) await this.#log.arm();
    else this.#leaveHint(client, verdict.standings);
    return verdict;
  }

  /** Is told how blocks ended, where no request brings it. Safe to repeat. */
  async end(ended: End[]): Promise<void> {
    this.#log.end(ended);
  }

  override async alarm(): Promise<void> {
    if (await this.#log.sweep()) await this.ctx.storage.deleteAll();
  }

  /** Notes in KV that the client is blocked everywhere until then: a fact that never turns back, written once. */
  #leaveHint(client: string, standings: Standing[]): void {
    const global = standings.find(({ name, remaining }) => name === "global" && remaining === 0);
    const wait = global?.resetMs ?? 0;
    const until = Date.now() + wait;
    // A block that is out may come back.
    if (wait <= BLOCK_MS || until <= this.#hintedUntil) return;
    this.#hintedUntil = until;
    const expirationTtl = Math.max(60, Math.ceil(wait / 1000));
    // Losing a hint may cost a call, never a wrong answer.
    this.ctx.waitUntil(
      this.env.HINTS.put(hintKey(client), String(until), { expirationTtl }).catch(() => undefined),
    );
  }
}
