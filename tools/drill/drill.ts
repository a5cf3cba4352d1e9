import type { Service } from "./service.ts";

/** What the command line says. */
export interface Wish {
  short: boolean;
  /** How long the soak lasts. */
  minutes: number;
  /** The commit that the upgrade starts from. */
  previous?: string | undefined;
}

/** One line of a drill's record. */
export interface Line {
  /** What was done. */
  did: string;
  /** What was counted. */
  counted: string;
  /** Promises that did not hold; none on a good day. */
  broken: string[];
}

export interface Drill {
  name: string;
  /** What it has found so far, and what was mended. */
  found: string;
  run(service: Service, wish: Wish): AsyncGenerator<Line>;
}

/** Counts by status, for reading: `200: 412, 503: 31`. */
export const tally = (statuses: number[]): string => {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status === 0 ? "no answer" : status}: ${count}`)
    .join(", ");
};

/** The promises that are broken, by name. */
export const brokenOf = (promises: Record<string, boolean>): string[] =>
  Object.entries(promises).flatMap(([name, held]) => (held ? [] : [name]));
