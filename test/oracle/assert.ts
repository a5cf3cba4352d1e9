import fc from "fast-check";

/** How much is shown before and after the first difference. */
const [BEFORE, AFTER] = [200, 60];

/** @throws with the first difference of two values and its surroundings. Text is compared exactly: 1.10 is not 1.1 */
export const assertEqual = (what: string, actual: unknown, expected: unknown): void => {
  const [one, two] = [String(JSON.stringify(actual)), String(JSON.stringify(expected))];
  if (one === two) return;
  let at = 0;
  while (one[at] === two[at]) at += 1;
  const near = (text: string) => text.slice(Math.max(0, at - BEFORE), at + AFTER);
  throw new Error(`${what}\n  answered ${near(one)}\n  expected ${near(two)}`);
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
