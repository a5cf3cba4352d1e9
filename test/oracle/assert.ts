import fc from "fast-check";

/** The text of a value, shortened. */
const shown = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 300);

const CONTEXT = 60;
/** Two texts from shortly before their first difference. */
const aroundDifference = (one: string, two: string): [string, string] => {
  let start = 0;
  while (one[start] === two[start]) start += 1;
  const part = (text: string) => shown(text.slice(Math.max(0, start - CONTEXT), start + CONTEXT));
  return [part(one), part(two)];
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Bodies and records are compared as text, because equal numbers may be written differently. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

interface Difference {
  where: string;
  answered: string;
  expected: string;
}

/** The first difference of two values, or undefined if they are equal as JSON. @param at where they are */
const firstDifference = (one: unknown, two: unknown, at = ""): Difference | undefined => {
  if (JSON.stringify(one) === JSON.stringify(two)) return undefined;
  if (typeof one === "string" && typeof two === "string") {
    const [object, other] = [parsed(one), parsed(two)];
    const inside = isObject(object) && isObject(other) ? firstDifference(object, other, at) : undefined;
    if (inside !== undefined) return inside;
    const [answered, expected] = aroundDifference(one, two);
    return { where: at, answered, expected };
  }
  if (!isObject(one) || !isObject(two)) return { where: at, answered: shown(one), expected: shown(two) };
  const names = new Set([...Object.keys(one), ...Object.keys(two)]);
  for (const name of names) {
    const inside = firstDifference(one[name], two[name], at === "" ? name : `${at}.${name}`);
    if (inside !== undefined) return inside;
  }
  // The same values in another order.
  return { where: at, answered: shown(Object.keys(one)), expected: shown(Object.keys(two)) };
};

/** @throws with the first difference of two values */
export const assertEqual = (what: string, actual: unknown, expected: unknown): void => {
  const difference = firstDifference(actual, expected);
  if (difference === undefined) return;
  const { where, answered, expected: right } = difference;
  throw new Error(`${what}${where && `\n  at ${where}`}\n  answered ${answered}\n  expected ${right}`);
};

/**
 * Asserts a property. @throws the error of the shortest counterexample alone: it has the request, and the test's title
 * has the seed
 */
export const assertProperty = async <Ts>(
  property: fc.IAsyncProperty<Ts>,
  numRuns: number,
  seed: number,
): Promise<void> => {
  const run = await fc.check(property, { numRuns, seed });
  if (run.failed) throw run.errorInstance ?? new Error(fc.defaultReportMessage(run));
};
