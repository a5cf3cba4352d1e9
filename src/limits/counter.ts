import { DurableObject } from "cloudflare:workers";
import { type Quotas, SlidingLog, type Standing } from "./sliding-log.ts";

/** Length of every window (E3). */
export const WINDOW_MS = 900_000;

/** The KV key under which a client's block is noted. */
export const hintKey = (client: string) => `blocked:${client}`;

/** The requests of one client in the last 900 seconds. */
export class Counter extends DurableObject<Env> {
  readonly #log = new SlidingLog(this.ctx.storage, WINDOW_MS);
  #hintedUntil = 0;

  /** Counts a request, all quotas or none. Safe to repeat with the same id. */
  async hit(
    client: string,
    id: string,
    quotas: Quotas,
  ): Promise<{ allowed: boolean; standings: Standing[] }> {
    const verdict = this.#log.hit(id, quotas);
    if (verdict.allowed) await this.#log.arm();
    else if (verdict.standings.find(({ name }) => name === "global")?.remaining === 0) {
      this.#leaveHint(client, verdict.standings);
    }
    return verdict;
  }

  override async alarm(): Promise<void> {
    if (await this.#log.sweep()) await this.ctx.storage.deleteAll();
  }

  /** Notes in KV that the client is blocked until then: a fact that never turns back, written once. */
  #leaveHint(client: string, standings: Standing[]): void {
    const until =
      Date.now() +
      Math.max(...standings.filter(({ remaining }) => remaining === 0).map(({ resetMs }) => resetMs));
    if (until <= this.#hintedUntil) return;
    this.#hintedUntil = until;
    const expirationTtl = Math.max(60, Math.ceil((until - Date.now()) / 1000));
    // Losing a hint may cost a call, never a wrong answer.
    this.ctx.waitUntil(
      this.env.HINTS.put(hintKey(client), String(until), { expirationTtl }).catch(() => undefined),
    );
  }
}
