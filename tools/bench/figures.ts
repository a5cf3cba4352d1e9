import { quantile } from "../results.ts";

/** The figures of the bench and the drill. One line of the results: a measure, its value, and its bar. */
export interface Figure {
  measure: string;
  /** A ratio, or a plain value if there is no bar. */
  value: string;
  bar?: string;
  isMet?: boolean;
  /** The values that the ratio was computed from. */
  detail: string;
}

export const median = (values: number[]): number => quantile(values, 0.5);

const digits = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

export const spread = (values: number[]): string =>
  `${digits(median(values))} (p99 ${digits(quantile(values, 0.99))}) ms`;

/** A ratio that must be at most `bar`. Ratios below one are shown as fractions. */
export const atMost = (measure: string, value: number, bar: number, detail: string): Figure => ({
  measure,
  value: fraction(value),
  bar: `≤ ${fraction(bar)}`,
  isMet: value <= bar,
  detail,
});

export const atLeast = (measure: string, value: number, bar: number, detail: string): Figure => ({
  measure,
  value: value.toFixed(2),
  bar: `≥ ${bar.toFixed(2)}`,
  isMet: value >= bar,
  detail,
});

/** The median of some times, which must be at most `bar`. */
export const withinMs = (measure: string, values: number[], bar: number, detail = ""): Figure => {
  const value = median(values);
  return {
    measure,
    value: `${value.toFixed(value < 100 ? 1 : 0)} ms`,
    bar: `≤ ${bar} ms`,
    isMet: value <= bar,
    detail: spread(values) + detail,
  };
};

/** What happened, and the checks that it did not pass. */
export const checked = (measure: string, checks: Record<string, boolean>, detail: string): Figure => {
  const failed = Object.entries(checks).flatMap(([name, hasPassed]) => (hasPassed ? [] : [name]));
  return {
    measure,
    value: failed.length === 0 ? "passed" : failed.join("; "),
    bar: `${Object.keys(checks).length} checks`,
    isMet: failed.length === 0,
    detail,
  };
};

export const plain = (measure: string, value: string, detail = ""): Figure => ({ measure, value, detail });

const fraction = (value: number) => (value < 0.1 ? `1/${Math.round(1 / value)}` : value.toFixed(2));

const row = ({ measure, value, bar = "", isMet, detail }: Figure) =>
  `| ${measure} | ${value} | ${bar}${isMet === false ? " **missed**" : ""} | ${detail} |`;

export const section = (title: string, figures: Figure[]): string =>
  [
    `## ${title}`,
    "",
    "| measure | result | bar | computed from |",
    "|---|---|---|---|",
    ...figures.map(row),
    "",
  ].join("\n");

/**
 * Runs the measures in turn for several rounds. The order alternates, so that no measure always comes second. The
 * first round is a warm-up and is discarded.
 * @returns the values of each measure, by round
 */
export const inTurn = async <Name extends string, Value>(
  rounds: number,
  measures: Record<Name, (round: number) => Promise<Value>>,
): Promise<Record<Name, Value[]>> => {
  const names = Object.keys(measures) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const value = await measures[name](round);
      if (round > 0) taken[name].push(value);
    }
  }
  return taken;
};

/** The duration of some work, in ms. */
export const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};
