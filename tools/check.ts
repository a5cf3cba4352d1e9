import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { hasChromium, LIBREOFFICE, POSTGRES_PROGRAMS } from "../test/support/installed.ts";
import { fail, readArguments } from "./arguments.ts";
import { connected } from "./warehouse/databases.ts";

const ROOT = join(import.meta.dirname, "..");

const USAGE = `Runs the steps of one tier, and prints how long each took.

  npm run check            types, lint, prose and all tests without the tag slow
  npm run check:full       the other tests: the browser, generated clients, npm start, the commands of the docs
  npm run check:server     tests that depend on the database, on the PostgreSQL server of TEST_DATABASE_URL
  npm run check:short      short runs of attack, drill and bench, and an install with Node 20 and npm 10
  npm run check:nightly    long runs: attack, fuzz, oracle, mutations, every install, drill, bench

The last lines list missing dependencies (Chromium, generators, a server) and how to install them. If CI is set,
a missing dependency is an error.`;

const SERVER = process.env.TEST_DATABASE_URL || "postgres://postgres@127.0.0.1:5432/postgres";

/** A dependency that `npm ci` does not install, and the command that installs it. */
interface Need {
  what: string;
  isMet: () => boolean | Promise<boolean>;
  install: string;
  /** True if the tests skip themselves without it. Otherwise the whole step is skipped. */
  isOptional?: boolean;
}

interface Step {
  name: string;
  /** A command line for `sh`. */
  command: string;
  env?: Record<string, string>;
  needs?: Need[];
}

interface Tier {
  /** Minutes on an idle machine with two cores. Keep in sync with CONTRIBUTING.md. */
  budget: number;
  /** How many steps run at a time: one for each of two cores, or one, so that nothing disturbs the bench. */
  parallel: 1 | 2;
  /** In the order in which they start: put long steps first, so that the last ones end together. */
  steps: Step[];
}

const tests = (
  name: string,
  options: string,
  env: Record<string, string> = {},
  needs: Need[] = [],
): Step => ({
  name,
  command: `vitest run ${options} --reporter=default --reporter=json --outputFile.json="$REPORT"`,
  env: { TEST_DATABASE_URL: "", ...env },
  needs,
});

const npm = (name: string, command: string, env: Record<string, string> = {}, needs: Need[] = []): Step => ({
  name,
  command: `npm run --silent ${command}`,
  env,
  needs,
});

const CHROMIUM: Need = {
  what: "Chromium for /docs and /painel",
  isMet: () => hasChromium,
  install: "apt-get install chromium-headless-shell (or set CHROMIUM to the path of another Chromium)",
  isOptional: true,
};
const isOnPath = (program: string) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => globSync(join(folder, program)).length > 0);
const PROGRAMS: Need = {
  what: "programs that the docs use (curl, jq, psql, pg_dump, python3, openssl)",
  isMet: () => ["curl", "jq", "psql", "pg_dump", "python3", "openssl"].every(isOnPath),
  install: "apt-get install curl jq postgresql-client python3 openssl",
  isOptional: true,
};
const OFFICE: Need = {
  what: "LibreOffice, which opens the files for Excel",
  isMet: () => LIBREOFFICE !== undefined,
  install: "apt-get install libreoffice-calc",
  isOptional: true,
};
const REPLICA: Need = {
  what: "programs of a PostgreSQL server (initdb, pg_ctl) for a replica",
  isMet: () => POSTGRES_PROGRAMS !== undefined,
  install: "apt-get install postgresql",
  isOptional: true,
};
const packagesOf = (folder: string): Need => ({
  what: `the packages of ${folder}`,
  isMet: () => existsSync(join(ROOT, folder, "node_modules")),
  install: `npm --prefix ${folder} ci`,
});
const GENERATORS: Need = { ...packagesOf("test/clients"), isOptional: true };
const POSTGRES: Need = {
  what: `a PostgreSQL server at ${SERVER.replace(/:[^:@/]*@/, ":***@")}`,
  isMet: () =>
    connected(SERVER, (db) => db.query("select 1")).then(
      () => true,
      () => false,
    ),
  install: "apt-get install postgresql (or set TEST_DATABASE_URL to another server)",
};
/** The browser that people use, and not its headless shell. */
const FULL_CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const WHOLE_CHROMIUM: Need = {
  what: `Chromium at ${FULL_CHROMIUM} for the bench of pages and the nightly tests of /docs and /painel`,
  isMet: () => existsSync(FULL_CHROMIUM),
  install: "apt-get install chromium (or set CHROMIUM to its path)",
};
const DRILL = packagesOf("tools/drill");
const BENCH = packagesOf("tools/bench");

const TEST_SERVER = { TEST_DATABASE_URL: SERVER };
const SHORT_ORACLE = { ...TEST_SERVER, ORACLE_ROUNDS: "8", ORACLE_SECONDS: "10" };
const TOOL_SERVER = { DATABASE_URL: SERVER };
const ATTACK = { ATTACK: "1" };
const SHORT_BENCH = "--visits 2000 --seconds 0.25 --only request,http,postgrest";

/** The longest files in the browser, apart from the others so that they run beside each other. */
const MANAGER = ["test/browser/manager.test.ts"];
const PAINEL = ["test/browser/painel.test.ts", "test/browser/cards.test.ts"];

const TIERS: Record<string, Tier> = {
  check: {
    budget: 4,
    parallel: 2,
    steps: [
      tests("worker", "--project worker --tagsFilter='!slow'"),
      npm("types", "types"),
      tests("tools", "--project tools --tagsFilter='!slow'"),
      tests("oracle", "--project oracle --tagsFilter='!slow'", {
        ORACLE_ROUNDS: process.env.ORACLE_ROUNDS ?? "4",
      }),
      tests("limits", "--project limits --tagsFilter='!slow'"),
      npm("prose", "prose"),
      npm("lint", "lint"),
    ],
  },
  full: {
    budget: 7,
    parallel: 2,
    steps: [
      tests("tools", "--project tools --project docs --tagsFilter=slow", {}, [PROGRAMS, OFFICE, REPLICA]),
      tests(
        "browser",
        `--project browser ${[...MANAGER, ...PAINEL].map((file) => `--exclude=${file}`).join(" ")}`,
        {},
        [CHROMIUM, GENERATORS],
      ),
      tests("manager", `--project browser ${MANAGER.join(" ")}`, {}, [CHROMIUM]),
      tests("painel", `--project browser ${PAINEL.join(" ")}`, {}, [CHROMIUM]),
      tests("worker", "--project worker --project limits --tagsFilter=slow"),
    ],
  },
  server: {
    budget: 6,
    parallel: 2,
    steps: [
      tests("worker", "--project worker --project limits --project plans --tagsFilter=server", TEST_SERVER, [
        POSTGRES,
      ]),
      tests("tools", "--project tools --project docs --tagsFilter=server", TEST_SERVER, [POSTGRES, PROGRAMS]),
      tests("oracle", "--project oracle --tagsFilter=server", SHORT_ORACLE, [POSTGRES]),
      tests("browser", "--project browser --tagsFilter=server", TEST_SERVER, [POSTGRES, CHROMIUM]),
    ],
  },
  short: {
    budget: 6,
    parallel: 2,
    steps: [
      // Beside other steps, its figures mean nothing: it shows that the bench runs.
      npm("bench", `bench -- ${SHORT_BENCH}`, TOOL_SERVER, [POSTGRES, BENCH]),
      npm("drill", "drill -- --short --minutes 0.5", TOOL_SERVER, [POSTGRES, DRILL]),
      tests("attack", "", { ...ATTACK, ATTACK_ROUNDS: "100" }),
      tests("installs", "", { INSTALLS: "first" }),
      npm("types of the drills", "--prefix tools/drill types", {}, [DRILL]),
      npm("types of the bench", "--prefix tools/bench types", {}, [BENCH]),
    ],
  },
  nightly: {
    budget: 240,
    parallel: 1,
    steps: [
      tests("attack", "", ATTACK),
      tests("fuzz", "--project worker test/fuzz.test.ts", { ...TEST_SERVER, FUZZ_RUNS: "20000" }, [POSTGRES]),
      tests("oracle", "--project oracle", { ...TEST_SERVER, ORACLE_ROUNDS: "200", ORACLE_SECONDS: "60" }, [
        POSTGRES,
      ]),
      tests("browser", "--project browser", { ...TEST_SERVER, CHROMIUM: FULL_CHROMIUM }, [
        POSTGRES,
        WHOLE_CHROMIUM,
        GENERATORS,
      ]),
      tests("installs", "", { INSTALLS: "all" }),
      npm("drill", "drill", TOOL_SERVER, [POSTGRES, DRILL]),
      npm("bench", "bench", TOOL_SERVER, [POSTGRES, BENCH, WHOLE_CHROMIUM]),
    ],
  },
};

const seconds = (since: number) => Math.round((performance.now() - since) / 1000);

const running = new Set<ChildProcess>();
/** The signal to exit with. Running steps receive it first, so that they can clean up. */
let ending: NodeJS.Signals | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    ending = signal;
    for (const child of running) child.kill(signal);
  });

/** Runs a step and prefixes its output lines with its name. @returns whether it succeeded */
const run = (folder: string, { name, command, env }: Step): Promise<boolean> => {
  const since = performance.now();
  console.log(`${name}: started`);
  const child = spawn("sh", ["-c", `exec ${command}`], {
    cwd: ROOT,
    env: { ...process.env, ...env, TEST_RUN_FOLDER: folder, REPORT: join(folder, `${name}.json`) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on("line", (line) => console.log(`${name}: ${line}`));
  return new Promise((resolve) => {
    child.once("close", (code) => {
      running.delete(child);
      console.log(`${name}: ${code === 0 ? "passed" : "FAILED"} in ${seconds(since)} s`);
      resolve(code === 0);
    });
  });
};

interface Report {
  testResults: {
    name: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

const reportsOf = (folder: string, steps: Step[]) =>
  steps
    .map(({ name }) => join(folder, `${name}.json`))
    .filter((file) => existsSync(file))
    .flatMap((file) => (JSON.parse(readFileSync(file, "utf8")) as Report).testResults)
    .map(({ name, startTime, endTime, assertionResults }) => ({
      file: relative(ROOT, name),
      ms: endTime - startTime,
      failed: assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
    }));

const summaryOf = (reports: ReturnType<typeof reportsOf>): string[] => {
  const failed = reports.flatMap((one) => one.failed.map((title) => `  ${one.file} › ${title}`));
  const slowest = reports
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 5)
    .map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
  return [
    ...(failed.length > 0 ? ["", "Failed tests:", ...failed] : []),
    ...(slowest.length > 0 ? ["", "The slowest files:", ...slowest] : []),
  ];
};

const runTier = async (name: string, { budget, parallel, steps }: Tier): Promise<boolean> => {
  const since = performance.now();
  const needs = [...new Set(steps.flatMap(({ needs = [] }) => needs))];
  const isMet = new Map(await Promise.all(needs.map(async (one) => [one, await one.isMet()] as const)));
  const missing = needs.filter((one) => !isMet.get(one));
  const missingLines = missing.map(({ what, install }) => `MISSING: ${what}. To install: ${install}`);
  const isError = missing.length > 0 && !["", "false", "0", undefined].includes(process.env.CI);
  if (isError) {
    for (const line of missingLines) console.error(line);
    return false;
  }
  const folder = mkdtempSync(join(tmpdir(), "check-"));
  const failed: string[] = [];
  const waiting = [...steps];
  const runNext = async (): Promise<void> => {
    const step = waiting.shift();
    if (step === undefined) return;
    const isBlocked = missing.some((one) => !one.isOptional && step.needs?.includes(one));
    if (ending !== undefined || isBlocked) console.log(`${step.name}: SKIPPED`);
    else if (!(await run(folder, step))) failed.push(step.name);
    return runNext();
  };
  try {
    await Promise.all(Array.from({ length: parallel }, runNext));
    if (steps.some(({ env }) => env?.TEST_DATABASE_URL) && isMet.get(POSTGRES)) {
      process.env.TEST_RUN_FOLDER = folder;
      await (await import("../test/support/databases.ts")).dropTemplates(SERVER);
    }
    for (const line of summaryOf(reportsOf(folder, steps))) console.log(line);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const took = seconds(since);
  console.log(`\n${name}: ${failed.length === 0 ? "passed" : `FAILED (${failed.join(", ")})`} in ${took} s.`);
  if (took > budget * 60) console.log(`That is over the budget of ${budget} min (CONTRIBUTING.md).`);
  for (const line of missingLines) console.log(line);
  return failed.length === 0;
};

const { positionals } = readArguments(USAGE, { allowPositionals: true });
const [name = "check", extra] = positionals;
const tier = Object.hasOwn(TIERS, name) ? TIERS[name] : undefined;
if (tier === undefined || extra !== undefined)
  fail(
    `Unknown tier "${positionals.join(" ")}". The tiers are ${Object.keys(TIERS).join(", ")}.\n\n${USAGE}`,
  );
else {
  const hasPassed = await runTier(name, tier);
  process.exitCode = ending === "SIGINT" ? 130 : ending === "SIGTERM" ? 143 : hasPassed ? 0 : 1;
}
