import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { configDefaults, defineConfig } from "vitest/config";
import { plantMistakes } from "./test/support/node/mistakes.ts";
import { createNetwork } from "./test/support/node/network.ts";
import { buildAssets } from "./tools/assets.ts";

const TOKEN_KEYS = `1:${"c2Vzc2lvbi1rZXktZm9yLXRlc3RzLW9ubHktb25lLi4"},2:${"c2Vzc2lvbi1rZXktZm9yLXRlc3RzLW9ubHktdHdvLi4"}`;

// Each project has its own database, because an embedded one allows only one session.
const globalSetup = "./test/support/node/global-setup.ts";

/** Tests inside the Worker's runtime. All files share one runtime, because its start takes longer than most files. */
const worker = (test: { name: string; include: string[]; exclude?: string[] }) => ({
  extends: true as const,
  plugins: [
    plantMistakes(),
    cloudflareTest(({ inject }) => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        // Effectively unlimited. The tests of limits set their own.
        bindings: {
          DATABASE_URL: inject("databaseUrl"),
          TOKEN_KEYS,
          RATE_LIMIT_GLOBAL: 1e6,
          RATE_LIMIT_AUTH: 1e6,
        },
        outboundService: { node: createNetwork(inject("upstream")) },
      },
    })),
  ],
  test: {
    ...test,
    globalSetup,
    // The plugin drops the source maps of cached modules, so that failures would name wrong lines.
    fsModuleCache: false,
    setupFiles: ["./test/support/worker/main-module.ts", "./test/support/worker/privacy.ts"],
    isolate: false,
    maxWorkers: 1,
  },
});

/** Tests in Node. With `isolate: false`, one process runs all files and loads each module once. */
const node = (test: {
  name: string;
  include: string[];
  exclude?: string[];
  isolate?: boolean;
  globalSetup?: string[];
}) => ({ extends: true as const, test: { globalSetup, ...test, maxWorkers: 1 } });

/** The commands and programs in the docs, the smoke test, and files for Excel. One `npm start` serves them all. */
const DOCS = [
  ...["agents", "commands", "excel", "loops", "recipes", "tasks"].map((name) => `test/docs/${name}.test.ts`),
  "test/tools/operate/smoke.test.ts",
];

/** The projects from which `tools/checks/tiers.ts` chooses, by name, tag and folder. */
const projects = [
  worker({
    name: "worker",
    include: ["test/**/*.test.ts"],
    exclude: [
      "test/{access/limits,docs,tools,public,browser,clients,installs,plans,attack,oracle,specmatic}/**",
      "test/extensions/watch/node/**",
    ],
  }),
  // With a database of its own, so that it can run beside `worker`.
  worker({ name: "limits", include: ["test/access/limits/**/*.test.ts"] }),
  node({
    name: "tools",
    include: ["test/{docs,tools,public,extensions/watch/node}/**/*.test.ts"],
    exclude: DOCS,
    isolate: false,
  }),
  {
    extends: true as const,
    test: {
      name: "docs",
      include: DOCS,
      globalSetup: [globalSetup, "./test/support/node/docs-setup.ts"],
      maxWorkers: 1,
    },
  },
  node({ name: "oracle", include: ["test/oracle/*.test.ts"], isolate: false }),
  node({
    name: "browser",
    include: ["test/browser/**/*.test.ts", "test/clients/*.test.ts"],
    globalSetup: [globalSetup, "./test/support/node/browser-setup.ts"],
    isolate: false,
  }),
  { extends: true as const, test: { name: "specmatic", include: ["test/specmatic/*.test.ts"] } },
  // Query plans on large tables need a real server.
  ...(process.env.TEST_DATABASE_URL ? [worker({ name: "plans", include: ["test/plans/**/*.test.ts"] })] : []),
];

/** Load tests that run for minutes: `ATTACK=1 npm test`. */
const attack = [
  worker({ name: "attack", include: ["test/attack/*.test.ts"] }),
  node({ name: "attack on the process", include: ["test/attack/node/*.test.ts"] }),
];

/** Real installs with other versions of Node and npm: `INSTALLS=first npm test`. */
const installs = [
  { extends: true as const, test: { name: "installs", include: ["test/installs/*.test.ts"] } },
];

const { ATTACK, INSTALLS } = process.env;

// Folder for this run's database templates. A runner that starts several processes sets one for all of them.
if (process.env.TEST_RUN_FOLDER === undefined) {
  const folder = mkdtempSync(join(tmpdir(), "run-"));
  process.env.TEST_RUN_FOLDER = folder;
  process.env.TEST_RUN_OWNER = String(process.pid);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

// The Worker's runtime reads them at its start.
await buildAssets();

export default defineConfig({
  test: {
    silent: "passed-only",
    // With `--watch`: tests send requests to the Worker, which they do not import.
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, "**/src/**"],
    // Without `-u`, a missing snapshot fails its test. Outside CI, Vitest would write it.
    update: "none",
    // With a fake clock, a timer of the service fires in the test's own Durable Object, which may not use the connection
    // of the request that set it. That request is answered anyway.
    onUnhandledError: ({ message }) =>
      !message.startsWith("Cannot perform I/O on behalf of a different Durable Object"),
    // Long enough for a busy machine. The bench checks speed, not the tests.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    tags: [
      {
        name: "slow",
        description:
          "Waits in real time, starts the service, programs or a browser, or fills a large warehouse: not in `npm run check`.",
      },
      { name: "server", description: "Depends on the database: also runs on a PostgreSQL server." },
    ],
    projects: ATTACK ? attack : INSTALLS ? installs : projects,
  },
});
