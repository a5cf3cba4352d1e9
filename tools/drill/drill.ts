import type { Service } from "./service.ts";

interface DrillOptions {
  short: boolean;
  /** Duration of the soak. */
  minutes: number;
  /** The commit from which the upgrade starts. */
  previous?: string | undefined;
}

/** One row of a drill's results. */
export interface TestResult {
  action: string;
  outcome: string;
  /** The names of failed checks. */
  failed: string[];
}

export interface Drill {
  name: string;
  /** The defects this drill has found so far, and how they were fixed. */
  findings: string;
  run(service: Service, options: DrillOptions): AsyncGenerator<TestResult>;
}

/** Formats counts by status: `200: 412, 503: 31`. */
export const tally = (statuses: number[]): string => {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status === 0 ? "no response" : status}: ${count}`)
    .join(", ");
};

/** The names of the checks that are false. */
export const failedOf = (checks: Record<string, boolean>): string[] =>
  Object.entries(checks).flatMap(([name, hasPassed]) => (hasPassed ? [] : [name]));
