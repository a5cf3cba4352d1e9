import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fail, readArguments } from "./arguments.ts";
import { summaryOf } from "./summary.ts";
import { POSTGRES, SERVER, type Step, stepsOf, TIERS, type Tier } from "./tiers.ts";

const ROOT = join(import.meta.dirname, "..");

const USAGE = `Runs the steps of one tier, and prints how long each took.

  npm run check            types, lint, prose and all tests without the tag slow
  npm run check:full       the other tests: the browser, generated clients, npm start, the commands of the docs
  npm run check:server     tests that depend on the database, on the PostgreSQL server of TEST_DATABASE_URL
  npm run check:short      short runs of attack, drill and bench, and an install with Node 20 and npm 10
  npm run check:nightly    long runs of attack, fuzz, oracle, browser, installs, drill and bench

To run only some steps of a tier, name them: npm run check:full -- manager painel
To run one file: npm test -- --project browser test/browser/manager.test.ts

The steps of each tier:
${Object.entries(TIERS)
  .map(([name, { steps }]) => `  ${name}: ${steps.map((step) => step.name).join(", ")}`)
  .join("\n")}

The last lines list missing dependencies (Chromium, generators, a server) and how to install them. A missing
dependency is an error in two cases: you name the steps, or CI is set to a value other than false and 0.`;

const seconds = (since: number) => Math.round((performance.now() - since) / 1000);

const running = new Set<ChildProcess>();
/** The signal to exit with. Running steps receive it first, so that they can clean up. */
let ending: NodeJS.Signals | undefined;
const end = (signal: NodeJS.Signals) => {
  ending = signal;
  // Node ignores SIGPIPE.
  for (const child of running) child.kill(signal === "SIGPIPE" ? "SIGTERM" : signal);
};
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) process.on(signal, end);
// For example, `head` has read enough, or the disk is full.
process.stdout.on("error", () => end("SIGPIPE"));

/** Ends what a step left in its process group, such as the runtime of a test that was interrupted. */
const killGroup = ({ pid }: ChildProcess) => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing is left in the group.
  }
};

/** How many of the last lines of a failed step are printed again at the end. */
const LAST_LINES = 8;

/** Runs a step and prefixes its output lines with its name. @returns its last lines if it failed */
const run = (folder: string, { name, command, env }: Step): Promise<string[] | undefined> => {
  const since = performance.now();
  const last: string[] = [];
  console.log(`${name}: started`);
  const child = spawn("sh", ["-c", `exec ${command}`], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...env,
      TEST_RUN_FOLDER: folder,
      REPORT: join(folder, `${name}.json`),
      // What an interrupted step leaves behind is deleted with the folder.
      TMPDIR: join(folder, "tmp"),
      // Steps start many programs. Node compiles each of them once, also for later tiers.
      NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/node"),
    },
    stdio: ["ignore", "pipe", "pipe"],
    // In a process group of its own.
    detached: true,
  });
  running.add(child);
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on("line", (line) => {
      console.log(`${name}: ${line}`);
      if (line.trim() !== "") last.splice(0, Math.max(0, last.push(line) - LAST_LINES));
    });
  return new Promise((resolve) => {
    child.once("exit", () => killGroup(child));
    child.once("close", (code) => {
      running.delete(child);
      const verdict = code === 0 ? "passed" : ending === undefined ? "FAILED" : "interrupted";
      console.log(`${name}: ${verdict} in ${seconds(since)} s`);
      resolve(code === 0 ? undefined : last);
    });
  });
};

/** @param chosen names of steps; all if empty. @returns false if a step failed, or if a missing dependency is an error */
const runTier = async (tierName: string, tier: Tier, chosen: string[]): Promise<boolean> => {
  const since = performance.now();
  const { budget, parallel } = tier;
  const steps = stepsOf(tier, chosen);
  const isWhole = chosen.length === 0;
  const name = isWhole ? tierName : `${tierName} (${steps.map((step) => step.name).join(", ")})`;
  const needs = [...new Set(steps.flatMap(({ needs = [] }) => needs))];
  const isMet = new Map(await Promise.all(needs.map(async (one) => [one, await one.isMet()] as const)));
  const missing = needs.filter((one) => !isMet.get(one));
  const missingLines = missing.map(({ what, install }) => `MISSING: ${what}. To install: ${install}`);
  const isCi = !["", "false", "0", undefined].includes(process.env.CI);
  const isError = missing.length > 0 && (isCi || !isWhole);
  if (isError) {
    for (const line of [`${name}: not run, because a dependency is missing.`, ...missingLines])
      console.error(line);
    return false;
  }
  const folder = mkdtempSync(join(tmpdir(), "check-"));
  // Tests start programs as other users, which must be able to enter it.
  chmodSync(folder, 0o711);
  mkdirSync(join(folder, "tmp"));
  chmodSync(join(folder, "tmp"), 0o1777);
  const failed = new Map<string, string[]>();
  let skippedCount = 0;
  const waiting = [...steps];
  const runNext = async (): Promise<void> => {
    const step = waiting.shift();
    if (step === undefined) return;
    const isBlocked = missing.some((one) => !one.isOptional && step.needs?.includes(one));
    if (ending !== undefined || isBlocked) {
      skippedCount += 1;
      console.log(`${step.name}: SKIPPED`);
    } else {
      const lastLines = await run(folder, step);
      if (lastLines) failed.set(step.name, lastLines);
    }
    return runNext();
  };
  try {
    await Promise.all(Array.from({ length: parallel }, runNext));
    if (steps.some(({ env }) => env?.TEST_DATABASE_URL) && isMet.get(POSTGRES)) {
      process.env.TEST_RUN_FOLDER = folder;
      await (await import("../test/support/node/databases.ts")).dropDatabases(SERVER);
    }
    const unexplained = ending === undefined ? failed : new Map<string, string[]>();
    const names = steps.map((step) => step.name);
    for (const line of summaryOf(folder, names, unexplained)) console.log(line);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const took = seconds(since);
  const isInterrupted = ending !== undefined;
  const names = [...failed.keys()].join(", ");
  const verdict =
    failed.size > 0
      ? `${isInterrupted ? "interrupted" : "FAILED"} (${names})`
      : skippedCount === steps.length
        ? "ran nothing"
        : skippedCount > 0
          ? `passed, with ${skippedCount} skipped`
          : "passed";
  console.log(`\n${name}: ${verdict} in ${took} s.`);
  if (isWhole && took > budget * 60)
    console.log(`That is over the budget of ${budget} min (CONTRIBUTING.md).`);
  for (const line of missingLines) console.log(line);
  return failed.size === 0;
};

const { positionals } = readArguments(USAGE, { allowPositionals: true });
const [name = "check", ...chosen] = positionals;
const tier = Object.hasOwn(TIERS, name) ? TIERS[name] : undefined;
if (tier === undefined) fail(`Unknown tier "${name}".\n\n${USAGE}`);
else {
  const unknown = chosen.filter((one) => !tier.steps.some((step) => step.name === one));
  if (unknown.length > 0) fail(`Unknown steps of the tier ${name}: ${unknown.join(", ")}.\n\n${USAGE}`);
  const hasPassed = await runTier(name, tier, chosen);
  process.exitCode = ending ? 128 + constants.signals[ending] : hasPassed ? 0 : 1;
}
