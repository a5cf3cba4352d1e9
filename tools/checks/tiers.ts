/** Runs Vitest on the embedded Postgres. */
const embedded = (args: string) => `TEST_DATABASE_URL= vitest run ${args}`;
/** Runs Vitest on a PostgreSQL server. */
const onServer = (args: string) => `vitest run ${args}`;

/** About half of the browser tests, those of a manager at work. The step `browser` runs the others. */
const MANAGER = "files inicio layout lists minutes painel requests states tabs"
  .split(" ")
  .map((name) => `test/browser/${name}.test.ts`);

interface Tier {
  /** How many steps run at the same time. */
  atOnce: number;
  /** Whether `tools/checks/test-server.sh` names the PostgreSQL server. */
  hasServer: boolean;
  /** The shell command of each step. They start in this order. */
  steps: Record<string, string>;
}

/** What each tier runs. `npm run check` runs `fast`, `npm run check:full` runs `full`. */
export const TIERS: Record<string, Tier> = {
  fast: {
    atOnce: 2,
    hasServer: false,
    steps: {
      worker: embedded("--project worker --tagsFilter='!slow'"),
      lint: "npm run lint",
      types: "npm run types",
      tools: embedded("--project tools --tagsFilter='!slow'"),
      oracle: `ORACLE_ROUNDS=\${ORACLE_ROUNDS:-4} ${embedded("--project oracle --tagsFilter='!slow'")}`,
      limits: embedded("--project limits --tagsFilter='!slow'"),
      prose: "npm run prose",
      unused: "knip",
    },
  },
  full: {
    atOnce: 2,
    hasServer: false,
    steps: {
      tools: embedded("--project tools --tagsFilter=slow test/docs test/public test/tools"),
      browser: embedded(`--project browser ${MANAGER.map((file) => `--exclude=${file}`).join(" ")}`),
      manager: embedded(`--project browser ${MANAGER.join(" ")}`),
      docs: embedded("--project docs --tagsFilter=slow"),
      watch: embedded("--project tools --tagsFilter=slow test/extensions"),
      worker: embedded("--project worker --project limits --tagsFilter=slow"),
    },
  },
  server: {
    atOnce: 3,
    hasServer: true,
    steps: {
      worker: onServer("--project worker --project limits --project plans --tagsFilter=server"),
      oracle: `ORACLE_SECONDS=10 ${onServer("--project oracle --tagsFilter=server --exclude=test/oracle/feed.test.ts")}`,
      tools: onServer("--project tools --tagsFilter=server test/tools"),
      watch: onServer("--project tools --project docs --tagsFilter=server test/extensions test/docs"),
      feeds: `ORACLE_SECONDS=10 ${onServer("--project oracle --tagsFilter=server test/oracle/feed.test.ts")}`,
      browser: onServer("--project browser --tagsFilter=server"),
    },
  },
  short: {
    atOnce: 3,
    hasServer: true,
    steps: {
      bench: "npm run bench -- --visits 2000 --seconds 0.1 --only http,postgrest",
      drill: "npm run drill -- --short --minutes 0.5",
      installs: `INSTALLS=first ${embedded("")}`,
      attack: `ATTACK=1 ATTACK_ROUNDS=100 ${embedded("")}`,
      types: "npm --prefix tools/bench run types",
    },
  },
  nightly: {
    atOnce: 1,
    hasServer: true,
    steps: {
      attack: `ATTACK=1 ${embedded("")}`,
      fuzz: `FUZZ_RUNS=30000 ${onServer("--project worker test/platform/http/fuzz.test.ts test/platform/http/date-times.test.ts test/core/periods.test.ts")}`,
      specmatic: embedded("--project specmatic"),
      oracle: `ORACLE_ROUNDS=200 ORACLE_SECONDS=60 ${onServer("--project oracle")}`,
      browser: `CHROMIUM=\${CHROMIUM:-/usr/bin/chromium} ${onServer("--project browser")}`,
      installs: `INSTALLS=all ${embedded("")}`,
      drill: "npm run drill",
      bench: "npm run bench",
    },
  },
};
