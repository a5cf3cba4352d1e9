// @module-tag slow
// @module-tag server
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { summaryOf } from "../../tools/summary.ts";
import { connected } from "../../tools/warehouse/databases.ts";
import { runNameOf } from "../support/node/databases.ts";

const ROOT = join(import.meta.dirname, "../..");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runner-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const startTier = (...args: string[]): ChildProcess =>
  spawn("node", ["tools/check.ts", ...args], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "ignore"],
  });

describe("an interrupted tools/check.ts", () => {
  it("deletes its folder and ends its steps if nobody reads its output", async () => {
    const tier = startTier("check", "types", "lint");
    const [first] = await once(tier.stdout ?? tier, "data");
    expect(String(first)).toMatch(/^(types|lint): started\n/);
    tier.stdout?.destroy();
    expect(await once(tier, "exit")).toEqual([141, null]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.runIf(inject("isServer"))("drops its databases from the server", async () => {
    const readDatabases = (run = "not started") =>
      connected(inject("postgresUrl"), async (db) => {
        const pattern = `salon_test_${runNameOf(run)}%`;
        return (await db.query("select from pg_database where datname like $1", [pattern])).rowCount ?? 0;
      });
    const findRun = () => readdirSync(folder).find((name) => name.startsWith("check-"));
    const tier = startTier("server", "cursors");
    tier.stdout?.resume();
    await expect.poll(() => readDatabases(findRun()), { timeout: 90_000 }).toBeGreaterThan(0);
    const run = findRun();
    tier.kill("SIGTERM");
    expect(await once(tier, "exit")).toEqual([143, null]);
    expect(await readDatabases(run)).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the summary of tools/check.ts", () => {
  it("names failed tests, files that did not run, and the last lines of steps without a report", () => {
    const throwing = 'beforeAll(() => { throw new Error("no Chromium"); }); it("opens", () => {});';
    const files = {
      "fails.test.ts": 'import { expect, it } from "vitest"; it("adds", () => expect(1).toBe(2));',
      "load.test.ts": 'import "./missing.ts";',
      "nested.test.ts": `import { beforeAll, describe, it } from "vitest"; describe("page", () => { ${throwing} });`,
      "setup.test.ts": `import { beforeAll, it } from "vitest"; ${throwing}`,
    };
    for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const options = [`--root=${folder}`, "--reporter=json", `--outputFile=${join(folder, "limits.json")}`];
    spawnSync("node", [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...options]);
    writeFileSync(join(folder, "worker.json"), '{"testResults":[{"name":"cut');

    const failed = new Map([
      ["limits", ["totals"]],
      ["worker", ["no space left on device"]],
    ]);
    const lines = summaryOf(folder, ["limits", "worker", "types"], failed);
    const path = relative(ROOT, folder);
    expect(lines.slice(0, lines.indexOf("The slowest files:"))).toEqual([
      "",
      "Failed tests:",
      `  ${path}/fails.test.ts › adds`,
      `  ${path}/load.test.ts › did not run: Cannot find module './missing.ts' imported from ${folder}/load.test.ts`,
      `  ${path}/nested.test.ts › a hook failed`,
      `  ${path}/setup.test.ts › did not run: no Chromium`,
      "",
      "The last lines of worker:",
      "no space left on device",
      "",
    ]);
  });
});
