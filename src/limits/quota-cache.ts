import type { Standing, Verdict } from "./sliding-log.ts";

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

  /** Stores the standings of a reply, unless the reply to a later call was stored first. */
  update({ allowed, standings }: Verdict, callNumber: number): { isNewest: boolean; standings: Standing[] } {
    const now = Date.now();
    const isNewest = standings.every(({ name }) => (this.#quotas.get(name)?.callNumber ?? 0) < callNumber);
    for (const standing of standings) {
      if ((this.#quotas.get(standing.name)?.callNumber ?? 0) > callNumber) continue;
      const wasRefused = !allowed && standing.remaining === 0;
      this.#quotas.set(standing.name, { standing, wasRefused, receivedAt: now, lastReadAt: now, callNumber });
    }
    return { isNewest, standings: this.standings(standings.map(({ name }) => name)) };
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
