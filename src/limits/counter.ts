import { DurableObject } from "cloudflare:workers";
import type { Standing } from "../core/context.ts";
import { writeHint } from "../objects/hints.ts";
import {
  BLOCK_MS,
  type Quotas,
  type ReservationRequest,
  SlidingLog,
  type SpentBlock,
} from "./sliding-log.ts";

/** Length of every window (E3). */
export const WINDOW_MS = 900_000;

export const hintKey = (client: string) => `blocked:${client}`;

/** The counter of one client: it grants permits from a sliding window log. */
export class Counter extends DurableObject<Env> {
  readonly #log = new SlidingLog(this.ctx.storage, WINDOW_MS);
  #hintedUntil = 0;

  /** Grants one permit and reserves more for other requests, or refuses. Idempotent per id. */
  async hit(client: string, id: string, quotas: Quotas, reservation: ReservationRequest) {
    const verdict = this.#log.hit(id, quotas, reservation);
    if (verdict.allowed) await this.#log.scheduleAlarm();
    else this.#writeRefusalHint(client, verdict.standings);
    return verdict;
  }

  /** Ends blocks and takes back permits, without granting one. Idempotent. */
  async end(ended: SpentBlock[]): Promise<void> {
    this.#log.end(ended);
  }

  override async alarm(): Promise<void> {
    if (await this.#log.sweep()) await this.ctx.storage.deleteAll();
  }

  #writeRefusalHint(client: string, standings: Standing[]): void {
    const global = standings.find(({ name, remaining }) => name === "global" && remaining === 0);
    const resetMs = global?.resetMs ?? 0;
    const until = Date.now() + resetMs;
    // KV stores only facts that never change again. A short reset may change: an open block can return
    // permits.
    if (resetMs <= BLOCK_MS || until <= this.#hintedUntil) return;
    this.#hintedUntil = until;
    this.ctx.waitUntil(writeHint(this.env.HINTS, hintKey(client), String(until), resetMs));
  }
}
