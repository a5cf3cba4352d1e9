import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const run = (tool: string, args: string[], root = ROOT) =>
  spawnSync("node", [join(root, tool), ...args], {
    cwd: tmpdir(),
    encoding: "utf8",
    env: { ...process.env, DATABASE_URL: "", SMOKE_EMAIL: "", SMOKE_PASSWORD: "" },
  });

it("every tool of package.json reads its command line in one way", () => {
  const named = Object.values(scripts).flatMap((script) =>
    [...script.matchAll(/node (tools\/\S+\.ts)/g)].map(([, tool = ""]) => tool),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((tool) => !tools.includes(tool))).toEqual([]);
});

it.each(tools)(
  "%s tells how it is called: asked, it ends with 0; given an unknown option, with 2",
  // Some load the whole runtime before they read anything.
  { timeout: 120_000 },
  (tool) => {
    const asked = run(tool, ["--help"]);
    expect([asked.status, asked.stderr]).toEqual([0, ""]);
    expect(asked.stdout).toMatch(/^[A-Z].*\n\n {2}.*\bn(pm|ode) /);
    const wrong = run(tool, ["--no-such-option"]);
    expect([wrong.status, wrong.stdout]).toEqual([2, ""]);
    expect(wrong.stderr).toContain("'--no-such-option'");
    expect(wrong.stderr).toContain(asked.stdout);
  },
);

const packages = FOLDERS.filter((folder) => folder.startsWith("tools/"));

it("tools that are packages of their own tell how to install them, where only the service is installed", {
  timeout: 120_000,
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
      expect([asked.status, asked.stderr]).toEqual([0, ""]);
      const told = run(`${folder}/run.ts`, [], root);
      expect([told.status, told.stdout]).toEqual([2, ""]);
      expect(told.stderr).toContain(`In ${root}: npm --prefix ${folder} ci\n`);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
