import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { FOLDERS } from "../../tools/licences.ts";

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

const tools = globSync("tools/**/*.ts", { cwd: ROOT, exclude: ["**/node_modules/**"] })
  .filter((file) => readFileSync(join(ROOT, file), "utf8").includes("readArguments(USAGE"))
  // The service is started by `npm start` alone, which hands its arguments on.
  .map((file) => file.replace("local/service.ts", "local/start.ts"))
  .sort();

const NOTHING_SET = { DATABASE_URL: "", SMOKE_EMAIL: "", SMOKE_PASSWORD: "" };
const run = (tool: string, args: string[], root = ROOT) => {
  const { status, stdout, stderr } = spawnSync("node", [join(root, tool), ...args], {
    cwd: tmpdir(),
    encoding: "utf8",
    env: { ...process.env, ...NOTHING_SET },
  });
  return { code: status, output: stdout, errors: stderr };
};

/** The same in a thread, which costs less than a process. */
const runInThread = async (tool: string, args: string[]): Promise<ReturnType<typeof run>> => {
  const env = { ...process.env, ...NOTHING_SET };
  const thread = new Worker(join(ROOT, tool), { argv: args, env, stdout: true, stderr: true });
  const exit = new Promise<number>((resolve, reject) => {
    thread.once("error", reject);
    thread.once("exit", resolve);
  });
  const [output, errors, code] = await Promise.all([text(thread.stdout), text(thread.stderr), exit]);
  return { code, output, errors };
};

const tellsHowItIsCalled = async (tool: string, runTool = runInThread) => {
  const asked = await runTool(tool, ["--help"]);
  expect([asked.code, asked.errors]).toEqual([0, ""]);
  expect(asked.output).toMatch(/^[A-Z].*\n\n {2}.*\bn(pm|ode) /);
  const wrong = await runTool(tool, ["--no-such-option"]);
  expect([wrong.code, wrong.output]).toEqual([2, ""]);
  expect(wrong.errors).toContain("'--no-such-option'");
  expect(wrong.errors).toContain(asked.output);
};

it("every tool of package.json reads its command line in one way", () => {
  const named = Object.values(scripts).flatMap((script) =>
    [...script.matchAll(/node (tools\/\S+\.ts)/g)].map(([, tool = ""]) => tool),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((tool) => !tools.includes(tool))).toEqual([]);
});

// These start a process of their own, or load the whole runtime.
const HEAVY = ["tools/local/start.ts", "tools/bench/run.ts", "tools/drill/run.ts"];

it.each(tools.filter((tool) => !HEAVY.includes(tool)))(
  "%s tells how it is called: asked, it ends with 0; given an unknown option, with 2",
  (tool) => tellsHowItIsCalled(tool),
);

it.each(HEAVY)(
  "%s tells how it is called: asked, it ends with 0; given an unknown option, with 2",
  { tags: ["slow"] },
  (tool) => tellsHowItIsCalled(tool, async (...call) => run(...call)),
);

const packages = FOLDERS.filter((folder) => folder.startsWith("tools/"));

it("tools that are packages of their own tell how to install them, where only the service is installed", {
  timeout: 120_000,
  tags: ["slow"],
}, () => {
  expect(packages).toEqual(["tools/bench", "tools/drill"]);
  const root = mkdtempSync(join(tmpdir(), "tools-"));
  try {
    const filter = (path: string) => !path.endsWith("node_modules");
    cpSync(join(ROOT, "tools"), join(root, "tools"), { recursive: true, filter });
    for (const name of ["src", "test", "node_modules", "wrangler.toml"])
      symlinkSync(join(ROOT, name), join(root, name));
    for (const folder of packages) {
      const asked = run(`${folder}/run.ts`, ["--help"], root);
      expect([asked.code, asked.errors]).toEqual([0, ""]);
      const told = run(`${folder}/run.ts`, [], root);
      expect([told.code, told.output]).toEqual([2, ""]);
      expect(told.errors).toContain(`In ${root}: npm --prefix ${folder} ci\n`);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
