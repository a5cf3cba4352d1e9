import type { Standing, Verdict } from "./sliding-log.ts";

interface CachedQuota {
  standing: Standing;
  hasRefused: boolean;
  answeredAt: number;
  lastReadAt: number;
  call: number;
}

/** The standings of one client as this isolate last received them. All times are of the isolate's clock. */
export class QuotaCache {
  readonly #quotas = new Map<string, CachedQuota>();

  /** Stores the standings of an answer, unless a call with a higher number was answered first. */
  update({ allowed, standings }: Verdict, call: number): { isNewest: boolean; standings: Standing[] } {
    const now = Date.now();
    const isNewest = standings.every(({ name }) => (this.#quotas.get(name)?.call ?? 0) < call);
    for (const standing of standings) {
      if ((this.#quotas.get(standing.name)?.call ?? 0) > call) continue;
      const hasRefused = !allowed && standing.remaining === 0;
      this.#quotas.set(standing.name, { standing, hasRefused, answeredAt: now, lastReadAt: now, call });
    }
    return { isNewest, standings: this.standings(standings.map(({ name }) => name)) };
  }

  /** Returns the standings of these quotas, without those that are unknown. */
  standings(names: string[]): Standing[] {
    const now = Date.now();
    return names.flatMap((name) => {
      const cached = this.#quotas.get(name);
      if (cached === undefined) return [];
      // After the clock went back, the age of the answer is unknown.
      if (now < cached.lastReadAt) {
        this.#quotas.delete(name);
        return [];
      }
      cached.lastReadAt = now;
      return {
        ...cached.standing,
        resetMs: Math.max(0, cached.standing.resetMs - (now - cached.answeredAt)),
      };
    });
  }

  /** Returns the standings if the counter would refuse these quotas, so that no call is needed. */
  refusal(names: string[]): Standing[] | undefined {
    const standings = this.standings(names);
    const isRefused = ({ name, resetMs }: Standing) => this.#quotas.get(name)?.hasRefused && resetMs > 0;
    // A 429 shows every quota: call the counter if one is unknown.
    return standings.length === names.length && standings.some(isRefused) ? standings : undefined;
  }
}
