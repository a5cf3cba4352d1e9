// The last lines of `npm run check`: what failed, and what was slow.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "..");

interface Report {
  testResults: {
    name: string;
    startTime: number;
    endTime: number;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

/** The report of a step, or an empty one if the step wrote none or not all of it. */
const readReport = (folder: string, step: string): Report => {
  try {
    return JSON.parse(readFileSync(join(folder, `${step}.json`), "utf8")) as Report;
  } catch {
    return { testResults: [] };
  }
};

/** What failed in a file: its tests, or the file itself if it could not be loaded or set up. */
const failuresOf = ({ status, message, assertionResults }: Report["testResults"][number]): string[] => {
  const tests = assertionResults.filter((one) => one.status === "failed").map(({ fullName }) => fullName);
  if (status !== "failed" || tests.length > 0) return tests;
  const [line] = message.split("\n");
  // Vitest reports no message for a hook of a group of tests.
  return [line ? `did not run: ${line}` : "a hook failed"];
};

const reportsOf = (folder: string, steps: string[]) =>
  steps.flatMap((step) =>
    readReport(folder, step).testResults.map((result) => ({
      step,
      file: relative(ROOT, result.name),
      ms: result.endTime - result.startTime,
      failed: failuresOf(result),
    })),
  );

/**
 * Failed tests, the last lines of steps that failed without one, and the slowest files.
 * @param folder the folder of the reports that Vitest wrote: `<step>.json`
 * @param failedSteps the last lines of each failed step
 */
export const summaryOf = (folder: string, steps: string[], failedSteps: Map<string, string[]>): string[] => {
  const reports = reportsOf(folder, steps);
  const failed = reports.flatMap((one) => one.failed.map((title) => `  ${one.file} › ${title}`));
  const unexplained = [...failedSteps].filter(
    ([name]) => !reports.some((one) => one.step === name && one.failed.length > 0),
  );
  const slowest = reports
    .filter(({ ms }) => ms > 0)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 5)
    .map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
  return [
    ...(failed.length > 0 ? ["", "Failed tests:", ...failed] : []),
    ...unexplained.flatMap(([name, lines]) => ["", `The last lines of ${name}:`, ...lines]),
    ...(slowest.length > 0 ? ["", "The slowest files:", ...slowest] : []),
  ];
};
