import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SETTINGS, startRuntime } from "../../../tools/local/runtime.ts";

const ROOT = join(import.meta.dirname, "../../..");
const run = (tool: string, args: string[], input = "") =>
  spawnSync("node", [join(ROOT, "tools/deploy", tool), ...args], { input, encoding: "utf8" });

/** The position of a text in a file, as in a stack. */
const placeOf = (file: string, text: string): string => {
  const before = readFileSync(join(ROOT, file), "utf8").split(text)[0]?.split("\n") ?? [];
  return `${file}:${before.length}:`;
};

describe("tools/deploy/stack.ts", () => {
  let folder: string;
  let version: string;
  let deployed: ReturnType<typeof run>;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stack-"));
    deployed = run("deploy.ts", ["--dry-run"]);
    version = /^Version (\S+):/m.exec(deployed.stdout)?.[1] ?? "none";
  });
  afterAll(() => {
    for (const made of [folder, join(ROOT, "dist", version)]) rmSync(made, { recursive: true, force: true });
  });

  it("resolves the stack of a log line with the source map of its version (E9)", async () => {
    expect(version, deployed.stderr).toMatch(/^[\da-f]{7,}(-dirty)?-\d{17}$/);
    // wrangler hides values from its command line.
    expect(deployed.stdout).toContain('env.VERSION ("(hidden)")');
    cpSync(join(ROOT, "dist", version), join(folder, "bundle"), { recursive: true });
    const logs: { level: string; message: string }[] = [];
    // An invalid setting makes every request fail.
    const bindings = { ...SETTINGS, DATABASE_URL: "-", VERSION: version };
    const { runtime, url } = await startRuntime(folder, bindings, {
      handleStructuredLogs: (log) => logs.push(log),
    });
    try {
      expect((await fetch(new URL("/health", url))).status).toBe(500);
      await expect.poll(() => logs.some(({ message }) => message.includes('"stack"'))).toBe(true);
    } finally {
      await runtime.dispose();
    }
    const [logged] = logs.filter(({ message }) => message.includes('"stack"'));
    expect(logged?.level).toBe("error");
    expect(JSON.parse(logged?.message ?? "")).toMatchObject({ level: "error", version, status: 500 });

    const read = run("stack.ts", [], `{"status":200}\nsomething else\n${logged?.message}\n`);
    expect(read.stderr).toBe("");
    const [head, thrown, caller] = read.stdout.split("\n");
    expect(head).toMatch(/^SettingsError of request [\da-f-]{36}, version /);
    expect(thrown).toContain(placeOf("src/core/settings.ts", "throw new SettingsError"));
    expect(caller).toContain(placeOf("src/core/settings.ts", "readSettings(env)"));
    expect(read.stdout).toContain(placeOf("src/middleware.ts", "settingsOf(c.env)"));

    const other = run("stack.ts", ["--version", "never-deployed"], logged?.message);
    expect([other.status, other.stderr]).toEqual([
      1,
      expect.stringContaining("no source map of version never"),
    ]);
  });

  it("fails if no line has a stack", () => {
    const { status, stderr } = run("stack.ts", [], '{"status":200}\n');
    expect([status, stderr]).toEqual([1, expect.stringContaining("No line has a stack")]);
  });
});
