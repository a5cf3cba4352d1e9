// What each tier of `npm run check` runs, and what it needs.
import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import { hasChromium, LIBREOFFICE, POSTGRES_PROGRAMS } from "../test/support/node/installed.ts";
import { connected } from "./warehouse/databases.ts";

const ROOT = join(import.meta.dirname, "..");

export const SERVER = process.env.TEST_DATABASE_URL || "postgres://postgres@127.0.0.1:5432/postgres";

/** A dependency that `npm ci` does not install, and the command that installs it. */
interface Need {
  what: string;
  isMet: () => boolean | Promise<boolean>;
  install: string;
  /** True if only some tests of a step need it, and skip themselves. A step without a required one does not run. */
  isOptional?: boolean;
}

export interface Step {
  /** One word, to be named on the command line. */
  name: string;
  /** A command line for `sh`. */
  command: string;
  env?: Record<string, string>;
  needs?: Need[];
}

export interface Tier {
  /** Minutes on an idle machine with two cores. Keep in sync with CONTRIBUTING.md. */
  budget: number;
  /** How many steps run in parallel on two cores. Three: they often wait. One: nothing may disturb the bench. */
  parallel: 1 | 2 | 3;
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
/** Only the host and port: other parts of a connection string may contain a password. */
const address = (URL.canParse(SERVER) && new URL(SERVER).host) || "the address in TEST_DATABASE_URL";
export const POSTGRES: Need = {
  what: `a PostgreSQL server at ${address}`,
  isMet: () =>
    connected(SERVER, (db) => db.query("select 1")).then(
      () => true,
      () => false,
    ),
  install:
    'apt-get install postgresql (or set TEST_DATABASE_URL to another server; psql "$TEST_DATABASE_URL" shows what is wrong)',
};
/** The browser that people use, and not its headless shell. */
const FULL_CHROMIUM_PATH = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FULL_CHROMIUM: Need = {
  what: `Chromium at ${FULL_CHROMIUM_PATH} for the bench of pages and the nightly tests of /docs and /painel`,
  isMet: () => existsSync(FULL_CHROMIUM_PATH),
  install: "apt-get install chromium (or set CHROMIUM to its path)",
};
const DRILL = packagesOf("tools/drill");
const BENCH = packagesOf("tools/bench");

const TEST_SERVER = { TEST_DATABASE_URL: SERVER };
const SHORT_ORACLE = { ...TEST_SERVER, ORACLE_ROUNDS: "8", ORACLE_SECONDS: "10" };
const TOOL_SERVER = { DATABASE_URL: SERVER };
const ATTACK = { ATTACK: "1" };
const SHORT_BENCH = "--visits 2000 --seconds 0.1 --only http,postgrest";

/** The slowest browser test files. They are steps of their own, to run in parallel. */
const MANAGER = ["test/browser/manager.test.ts"];
const PAINEL = ["test/browser/painel.test.ts", "test/browser/cards.test.ts"];

export const TIERS: Record<string, Tier> = {
  check: {
    budget: 4,
    parallel: 2,
    steps: [
      tests("worker", "--project worker --tagsFilter='!slow'"),
      npm("lint", "lint"),
      npm("types", "types"),
      tests("tools", "--project tools --tagsFilter='!slow'"),
      tests("oracle", "--project oracle --tagsFilter='!slow'", {
        ORACLE_ROUNDS: process.env.ORACLE_ROUNDS ?? "4",
      }),
      tests("limits", "--project limits --tagsFilter='!slow'"),
      npm("prose", "prose"),
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
    parallel: 3,
    steps: [
      tests("worker", "--project worker --project limits --project plans --tagsFilter=server", TEST_SERVER, [
        POSTGRES,
      ]),
      tests(
        "oracle",
        "--project oracle --tagsFilter=server --exclude=test/oracle/cursor.test.ts",
        SHORT_ORACLE,
        [POSTGRES],
      ),
      tests("tools", "--project tools --project docs --tagsFilter=server", TEST_SERVER, [POSTGRES, PROGRAMS]),
      tests("cursors", "--project oracle --tagsFilter=server test/oracle/cursor.test.ts", SHORT_ORACLE, [
        POSTGRES,
      ]),
      tests("browser", "--project browser --tagsFilter=server", TEST_SERVER, [POSTGRES, CHROMIUM]),
    ],
  },
  short: {
    budget: 6,
    parallel: 3,
    steps: [
      // Beside other steps, its figures mean nothing: it shows that the bench runs.
      npm("bench", `bench -- ${SHORT_BENCH}`, TOOL_SERVER, [POSTGRES, BENCH]),
      npm("drill", "drill -- --short --minutes 0.5", TOOL_SERVER, [POSTGRES, DRILL]),
      tests("installs", "", { INSTALLS: "first" }),
      tests("attack", "", { ...ATTACK, ATTACK_ROUNDS: "100" }),
      npm("drill-types", "--prefix tools/drill types", {}, [DRILL]),
      npm("bench-types", "--prefix tools/bench types", {}, [BENCH]),
    ],
  },
  nightly: {
    budget: 240,
    parallel: 1,
    steps: [
      tests("attack", "", ATTACK),
      tests("fuzz", "--project worker test/fuzz.test.ts", { ...TEST_SERVER, FUZZ_RUNS: "30000" }, [POSTGRES]),
      tests("oracle", "--project oracle", { ...TEST_SERVER, ORACLE_ROUNDS: "200", ORACLE_SECONDS: "60" }, [
        POSTGRES,
      ]),
      tests("browser", "--project browser", { ...TEST_SERVER, CHROMIUM: FULL_CHROMIUM_PATH }, [
        POSTGRES,
        FULL_CHROMIUM,
        GENERATORS,
      ]),
      tests("installs", "", { INSTALLS: "all" }),
      npm("drill", "drill", TOOL_SERVER, [POSTGRES, DRILL]),
      npm("bench", "bench", TOOL_SERVER, [POSTGRES, BENCH, FULL_CHROMIUM]),
    ],
  },
};

/** The steps of a tier with these names, in the order of the tier; all if there are no names. */
export const stepsOf = ({ steps }: Tier, names: string[]): Step[] =>
  steps.filter(({ name }) => names.length === 0 || names.includes(name));
