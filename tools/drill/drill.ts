import type { Service } from "./service.ts";

export interface Wish {
  short: boolean;
  /** Duration of the soak. */
  minutes: number;
  /** The commit from which the upgrade starts. */
  previous?: string | undefined;
}

export interface Line {
  did: string;
  counted: string;
  /** The names of broken promises; empty if all hold. */
  broken: string[];
}

export interface Drill {
  name: string;
  /** What this drill has found so far, and what was fixed. */
  found: string;
  run(service: Service, wish: Wish): AsyncGenerator<Line>;
}

/** Formats counts by status: `200: 412, 503: 31`. */
export const tally = (statuses: number[]): string => {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status === 0 ? "no answer" : status}: ${count}`)
    .join(", ");
};

export const brokenOf = (promises: Record<string, boolean>): string[] =>
  Object.entries(promises).flatMap(([name, held]) => (held ? [] : [name]));
