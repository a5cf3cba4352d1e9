import type { Standing } from "../core/context.ts";
import type { Verdict } from "./sliding-log.ts";

interface CachedQuota {
  standing: Standing;
  wasRefused: boolean;
  receivedAt: number;
  lastReadAt: number;
  callNumber: number;
}

/** The standings of one client as this isolate last received them. All times are from the isolate's clock. */
export class QuotaCache {
  readonly #quotas = new Map<string, CachedQuota>();
  /** A refusal in the reply to this call or an earlier one may be older than the return of a permit. */
  #lastDoubtedCall = 0;

  /** Stores the standings of a reply, unless the reply to a later call was stored first. */
  update({ allowed, standings }: Verdict, callNumber: number): { isNewest: boolean; standings: Standing[] } {
    const now = Date.now();
    const isNewest = standings.every(({ name }) => (this.#quotas.get(name)?.callNumber ?? 0) < callNumber);
    for (const standing of standings) {
      if ((this.#quotas.get(standing.name)?.callNumber ?? 0) > callNumber) continue;
      const wasRefused = !allowed && standing.remaining === 0 && callNumber > this.#lastDoubtedCall;
      this.#quotas.set(standing.name, { standing, wasRefused, receivedAt: now, lastReadAt: now, callNumber });
    }
    return { isNewest, standings: this.standings(standings.map(({ name }) => name)) };
  }

  /**
   * Adds a permit that was given back. Then refuses until the quotas in `refused`, those of another client, have room.
   * @param lastCall the number of the last call before it
   */
  giveBack(names: string[], refused: Standing[], lastCall: number): void {
    this.#lastDoubtedCall = lastCall;
    const now = Date.now();
    for (const name of names) {
      const cached = this.#quotas.get(name);
      if (cached === undefined) continue;
      const { standing } = cached;
      cached.standing = { ...standing, remaining: Math.min(standing.quota, standing.remaining + 1) };
      cached.wasRefused = false;
      const other = refused.find((candidate) => candidate.name === name);
      if (other)
        Object.assign(cached, { standing: other, wasRefused: true, receivedAt: now, lastReadAt: now });
    }
  }

  /** Returns the standings of these quotas. Omits unknown quotas. */
  standings(names: string[]): Standing[] {
    const now = Date.now();
    return names.flatMap((name) => {
      const cached = this.#quotas.get(name);
      if (cached === undefined) return [];
      // If the clock went back, the age of the standing is unknown.
      if (now < cached.lastReadAt) {
        this.#quotas.delete(name);
        return [];
      }
      cached.lastReadAt = now;
      return {
        ...cached.standing,
        resetMs: Math.max(0, cached.standing.resetMs - (now - cached.receivedAt)),
      };
    });
  }

  /** Returns the standings if the counter would refuse these quotas, so that no call is needed. */
  refusal(names: string[]): Standing[] | undefined {
    const standings = this.standings(names);
    const isRefused = ({ name, resetMs }: Standing) => this.#quotas.get(name)?.wasRefused && resetMs > 0;
    // A 429 shows every quota: call the counter if one is unknown.
    return standings.length === names.length && standings.some(isRefused) ? standings : undefined;
  }
}
