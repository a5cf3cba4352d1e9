import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { FOLDERS } from "../../tools/checks/licences.ts";

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

const tools = globSync("tools/**/*.ts", { cwd: ROOT, exclude: ["**/node_modules/**"] })
  .filter((file) => readFileSync(join(ROOT, file), "utf8").includes("readArguments(USAGE"))
  // Only `npm start` starts the service, and it passes its arguments on.
  .map((file) => file.replace("local/service.ts", "local/start.ts"))
  .sort();

const EMPTY_SETTINGS = { DATABASE_URL: "", SMOKE_EMAIL: "", SMOKE_PASSWORD: "" };
const run = (tool: string, args: string[], root = ROOT) => {
  const { status, stdout, stderr } = spawnSync("node", [join(root, tool), ...args], {
    cwd: tmpdir(),
    encoding: "utf8",
    env: { ...process.env, ...EMPTY_SETTINGS },
  });
  return { code: status, output: stdout, errors: stderr };
};

/** Runs a tool in a thread, which is cheaper than a process. */
const runInThread = async (
  tool: string,
  args: string[],
  settings: Record<string, string> = {},
): Promise<ReturnType<typeof run>> => {
  const env = { ...process.env, ...EMPTY_SETTINGS, ...settings };
  const thread = new Worker(join(ROOT, tool), { argv: args, env, stdout: true, stderr: true });
  const exit = new Promise<number>((resolve, reject) => {
    thread.once("error", reject);
    thread.once("exit", resolve);
  });
  const [output, errors, code] = await Promise.all([text(thread.stdout), text(thread.stderr), exit]);
  return { code, output, errors };
};

const expectUsage = async (tool: string, runTool = runInThread) => {
  const help = await runTool(tool, ["--help"]);
  expect([help.code, help.errors]).toEqual([0, ""]);
  expect(help.output).toMatch(/^[A-Z].*\n\n {2}.*\bn(pm|ode) /);
  const wrong = await runTool(tool, ["--no-such-option"]);
  expect([wrong.code, wrong.output]).toEqual([2, ""]);
  expect(wrong.errors).toContain("'--no-such-option'");
  expect(wrong.errors).toContain(help.output);
};

it("every tool in package.json reads its command line with readArguments", () => {
  const named = Object.values(scripts).flatMap((script) =>
    [...script.matchAll(/node (tools\/\S+\.ts)/g)].map(([, tool = ""]) => tool),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((tool) => !tools.includes(tool))).toEqual([]);
});

// These tools start other processes or load the runtime.
const HEAVY = ["tools/local/start.ts", "tools/bench/run.ts", "tools/drill/run.ts"];

it.each(tools.filter((tool) => !HEAVY.includes(tool)))(
  "%s prints its usage and exits with 0 for --help, and with 2 for an unknown option",
  (tool) => expectUsage(tool),
);

it.each(HEAVY)(
  "%s, a slow tool, prints its usage and exits with 0 for --help, and with 2 for an unknown option",
  { tags: ["slow"] },
  (tool) => expectUsage(tool, async (name, args) => run(name, args)),
);

it.each([
  [
    "tools/checks/doctor.ts",
    ["fast", "no-such-tier"],
    "Unknown tier: no-such-tier.\n\nNames what is missing",
  ],
  ["tools/checks/tier.ts", ["no-such-tier"], "Unknown tier: no-such-tier.\n\nRuns a tier of checks"],
  [
    "tools/checks/tier.ts",
    ["fast", "no-such-step"],
    "The tier fast has no step no-such-step. It has worker, lint",
  ],
])("%s exits with 2 for %j, and says what there is", async (tool, args, message) => {
  const { code, output, errors } = await runInThread(tool, args);
  expect([code, output]).toEqual([2, ""]);
  expect(errors).toContain(message);
});

it.each([
  ["postgres://nobody:forgotten@127.0.0.1:1/none?password=forgotten", "127.0.0.1:1"],
  ["postgres://nobody:a/forgotten@127.0.0.1:1/none", "the address in TEST_DATABASE_URL"],
])(
  "tools/checks/doctor.ts exits with 1 without a server, also outside CI, and prints no password: %s",
  async (url, address) => {
    const settings = { CI: "", TEST_DATABASE_URL: url };
    const { code, errors } = await runInThread("tools/checks/doctor.ts", ["server"], settings);
    expect(code).toBe(1);
    expect(errors).toContain(`MISSING: a PostgreSQL server at ${address}. To install: `);
    expect(errors).not.toContain("forgotten");
  },
);

it("tools/checks/doctor.ts exits with 1 for an optional program only in CI", async () => {
  const settings = { CHROMIUM: "/no/such/browser", PATH: "/no/such/folder" };
  for (const [CI, expected] of [
    ["", 0],
    ["true", 1],
  ] as const) {
    const { code, errors } = await runInThread("tools/checks/doctor.ts", ["full"], { ...settings, CI });
    expect([CI, code]).toEqual([CI, expected]);
    expect(errors).toContain("MISSING: Chromium at /no/such/browser. To install: apt-get install chromium");
  }
});

const packages = FOLDERS.filter((folder) => folder.startsWith("tools/"));

it("a tool with its own package says how to install it if its dependencies are missing", {
  timeout: 120_000,
  tags: ["slow"],
}, () => {
  expect(packages).toEqual(["tools/bench"]);
  const root = mkdtempSync(join(tmpdir(), "tools-"));
  try {
    const filter = (path: string) => !path.endsWith("node_modules");
    cpSync(join(ROOT, "tools"), join(root, "tools"), { recursive: true, filter });
    for (const name of ["src", "test", "node_modules", "wrangler.toml", "package.json"])
      symlinkSync(join(ROOT, name), join(root, name));
    for (const folder of packages) {
      const help = run(`${folder}/run.ts`, ["--help"], root);
      expect([help.code, help.errors]).toEqual([0, ""]);
      const failed = run(`${folder}/run.ts`, [], root);
      expect([failed.code, failed.output]).toEqual([2, ""]);
      expect(failed.errors).toContain(`In ${root}, run: npm --prefix ${folder} ci\n`);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
