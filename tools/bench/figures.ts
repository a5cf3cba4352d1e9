import { quantile } from "../results.ts";

/** One line of the results: a measure, what it came to, and the bar it has to meet. */
export interface Figure {
  measure: string;
  /** The ratio asked for, or a plain figure without a bar. */
  value: string;
  bar?: string;
  met?: boolean;
  /** What the ratio is made of. */
  detail: string;
}

export const median = (values: number[]): number => quantile(values, 0.5);

const digits = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** `median (p99)` in milliseconds. */
export const spread = (values: number[]): string =>
  `${digits(median(values))} (p99 ${digits(quantile(values, 0.99))}) ms`;

/** A ratio that has to be at most `bar`; below one it reads as a fraction. */
export const atMost = (measure: string, value: number, bar: number, detail: string): Figure => ({
  measure,
  value: fraction(value),
  bar: `≤ ${fraction(bar)}`,
  met: value <= bar,
  detail,
});

/** A ratio that has to be at least `bar`. */
export const atLeast = (measure: string, value: number, bar: number, detail: string): Figure => ({
  measure,
  value: value.toFixed(2),
  bar: `≥ ${bar.toFixed(2)}`,
  met: value >= bar,
  detail,
});

export const plain = (measure: string, value: string, detail = ""): Figure => ({ measure, value, detail });

const fraction = (value: number) => (value < 0.1 ? `1/${Math.round(1 / value)}` : value.toFixed(2));

const row = ({ measure, value, bar = "", met, detail }: Figure) =>
  `| ${measure} | ${value} | ${bar}${met === false ? " **missed**" : ""} | ${detail} |`;

export const section = (title: string, figures: Figure[]): string =>
  [
    `## ${title}`,
    "",
    "| measure | result | bar | made of |",
    "|---|---|---|---|",
    ...figures.map(row),
    "",
  ].join("\n");

/**
 * Measures each of some things in turn, again and again. The order alternates, so that none always comes second; a
 * first round warms up and does not count.
 * @returns what each measure came to, round by round
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

/** How long something takes, in ms. */
export const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};
