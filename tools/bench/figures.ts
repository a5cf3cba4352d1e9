import { quantile } from "../quantile.ts";

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

/** Runs each of some functions in turn, again and again, and tells how long each took, in ms. */
export const sideBySide = async <Name extends string>(
  times: number,
  runs: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number[]>> => {
  const names = Object.keys(runs) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await runs[name]();
  for (let i = 0; i < times; i += 1) {
    // The order alternates, so that none always comes second.
    for (const name of i % 2 === 0 ? names : [...names].reverse()) {
      const started = performance.now();
      await runs[name]();
      taken[name].push(performance.now() - started);
    }
  }
  return taken;
};
