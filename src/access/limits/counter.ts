import { DurableObject } from "cloudflare:workers";
import type { Standing } from "../../core/context.ts";
import { writeHint } from "../../platform/objects/hints.ts";
import { type Ask, type Quotas, SlidingLog } from "../../platform/objects/sliding-log.ts";

/** Length of every window (E3). */
export const WINDOW_MS = 900_000;

export const hintKey = (counterName: string) => `blocked:${counterName}`;

/** One message to a counter. `takenBack` has the ids of counted requests that another client refused. */
export interface Call {
  quotas: Quotas;
  asks: Ask[];
  takenBack: string[];
}

/** How many requests of each ask count, and the standings after the call. */
export type Reply = Awaited<ReturnType<Counter["count"]>>;

/** The counter of one client: a sliding window log. */
export class Counter extends DurableObject<Env> {
  readonly #log = new SlidingLog(this.ctx.storage, WINDOW_MS);
  #hintedUntil = 0;

  /** Counts the requests of each ask, in their order. A repeated call counts once. */
  async count(counterName: string, { quotas, asks, takenBack }: Call) {
    for (const id of takenBack) this.#log.takeBack(id);
    const counted = asks.map((ask) => this.#log.count(ask, quotas));
    const standings = this.#log.standings(quotas);
    if (asks.some(({ total }, i) => total > (counted[i] ?? 0))) this.#writeHint(counterName, standings);
    await this.#log.scheduleAlarm();
    return { counted, standings };
  }

  override async alarm(): Promise<void> {
    if (await this.#log.sweep()) await this.ctx.storage.deleteAll();
  }

  #writeHint(counterName: string, standings: Standing[]): void {
    const { resetMs = 0 } = standings.find((one) => one.name === "global" && one.remaining === 0) ?? {};
    const blockedUntil = Date.now() + resetMs;
    // A hint of a shorter wait would cost more than it saves.
    if (resetMs <= 5_000 || blockedUntil <= this.#hintedUntil) return;
    this.#hintedUntil = blockedUntil;
    this.ctx.waitUntil(writeHint(this.env.HINTS, hintKey(counterName), String(blockedUntil), resetMs));
  }
}
