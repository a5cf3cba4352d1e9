import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { inGroup } from "../../support/processes.ts";
import { freePort } from "../../support/service.ts";

const ROOT = join(import.meta.dirname, "../../..");
const parent = mkdtempSync(join(tmpdir(), "clone-"));
const clone = join(parent, "Área de trabalho");
// As somebody has it who has only just cloned: nothing of this project is on the path, npm's own variables are unset.
const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
const env = { ...process.env, PATH: path.join(delimiter) };
for (const name of Object.keys(env)) if (/^npm_|^VITEST|^NODE_/.test(name)) Reflect.deleteProperty(env, name);

afterAll(() => rmSync(parent, { recursive: true, force: true }));

it("npm ci && npm start in a folder with a space and an accent serve the tour of README; killed, npm leaves nothing behind", {
  timeout: 600_000,
}, async () => {
  execFileSync("git", ["clone", "--quiet", ROOT, clone]);
  execFileSync("npm", ["ci"], { cwd: clone, env, stdio: "pipe" });
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  let output = "";
  const npm = spawn("npm", ["start"], {
    cwd: clone,
    env: { ...env, PORT: String(port), DATABASE_URL: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  try {
    await expect
      .poll(() => npm.exitCode ?? output, { timeout: 120_000 })
      .toMatch(/Base URL {4}\S+[\s\S]+Ctrl-C ends it\./);
    const readme = readFileSync(join(clone, "README.md"), "utf8");
    const [, tour = ""] = /## A tour with curl\s+```sh\n([\s\S]+?)```/.exec(readme) ?? [];
    expect(tour).toContain("base=http://127.0.0.1:8787\n");
    const script = tour.replace("http://127.0.0.1:8787", base);
    const { stdout } = await promisify(execFile)("bash", ["-eu", "-c", script]);
    // The cursor loop's lines come between the first page's totals and the report.
    expect(stdout.match(/^\[\d+,".+"\]$/gm)).toHaveLength(1200);
    expect(stdout).toMatch(/"transacoes": \{\n {4}"total": \d{2,}/);
    expect(stdout).toContain("openapi: 3.1.0");
    expect(stdout).not.toContain('"error"');
    expect(stdout).toMatch(/\{"message":".+"\}$/);
  } finally {
    npm.kill("SIGKILL");
  }
  const [group] = readFileSync(join(clone, ".data/demo/service.pid"), "utf8").split(" ");
  await expect.poll(() => inGroup(Number(group)), { timeout: 10_000 }).toEqual([]);
  await expect(fetch(base)).rejects.toThrow();
});
