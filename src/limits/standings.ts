import type { Standing, Verdict } from "./sliding-log.ts";

interface Said {
  standing: Standing;
  /** Whether a request was refused because of it. */
  isRefusal: boolean;
  asOf: number;
  /** When it was last looked at. */
  seen: number;
  /** Which call of this isolate it answers. */
  call: number;
}

/** What the counter of one client has said, by quota. All times are of this isolate's clock. */
export class Standings {
  readonly #said = new Map<string, Said>();

  /**
   * @param call answers may overtake one another, and that of an earlier call is no news
   * @returns how its quotas stand by what is known now
   */
  learn({ allowed, standings }: Verdict, call: number): { isNews: boolean; standings: Standing[] } {
    const now = Date.now();
    const isNews = standings.every(({ name }) => (this.#said.get(name)?.call ?? 0) < call);
    for (const standing of standings) {
      if ((this.#said.get(standing.name)?.call ?? 0) > call) continue;
      const isRefusal = !allowed && standing.remaining === 0;
      this.#said.set(standing.name, { standing, isRefusal, asOf: now, seen: now, call });
    }
    return { isNews, standings: this.of(standings.map(({ name }) => name)) };
  }

  /** How these quotas stand by now, left out what a clock that jumped back makes unsure. */
  of(names: string[]): Standing[] {
    const now = Date.now();
    return names.flatMap((name) => {
      const said = this.#said.get(name);
      if (said === undefined) return [];
      if (now < said.seen) {
        this.#said.delete(name);
        return [];
      }
      said.seen = now;
      return { ...said.standing, resetMs: Math.max(0, said.standing.resetMs - (now - said.asOf)) };
    });
  }

  /** How they stand if one of them is known to refuse: no counter needs to be asked. */
  refusal(names: string[]): Standing[] | undefined {
    const standings = this.of(names);
    const isRefused = ({ name, resetMs }: Standing) => this.#said.get(name)?.isRefusal && resetMs > 0;
    // A refusal tells of all its quotas: where one is not known, the counter is asked.
    return standings.length === names.length && standings.some(isRefused) ? standings : undefined;
  }
}
