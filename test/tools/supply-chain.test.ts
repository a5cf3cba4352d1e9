import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAccepted } from "../../tools/licences.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  optional?: boolean;
}

describe("the lock file", () => {
  const { packages } = read("package-lock.json") as { packages: Record<string, Locked> };
  const manifest = read("package.json");
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && !link,
  );

  it("has a hash of every package, but for the binaries of other platforms that docs/architecture.md names", () => {
    const without = installed.filter(([, { integrity }]) => !integrity);
    const page = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
    for (const [path, { optional }] of without) {
      const [family] = /@biomejs\/cli-|@cloudflare\/workerd-/.exec(path) ?? [];
      expect([path, optional, family && page.includes(`\`${family}*\``)]).toEqual([path, true, true]);
    }
    expect(without.length).toBeLessThanOrEqual(11);
  });

  it("names no registry", () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it("no package runs a script when it is installed but those that package.json has decided on", () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    const decided = Object.keys(manifest.allowScripts);
    expect(scripted.filter((path) => !decided.includes(path.replace(/^.*node_modules\//, "")))).toEqual([]);
  });

  it("brings the Node that npm scripts run on, one version for every platform, with its hash", () => {
    const platforms = Object.entries(manifest.optionalDependencies as Record<string, string>);
    const [, version] = platforms[0] ?? [];
    for (const [name, wanted] of platforms) {
      expect(wanted).toBe(version);
      expect(packages[`node_modules/${name}`]).toMatchObject({ version, integrity: expect.any(String) });
    }
    const said = execFileSync("npm", ["exec", "-c", "node --version"], { cwd: ROOT, encoding: "utf8" });
    expect(said.trim()).toBe(`v${version}`);
  });
});

describe("licences", () => {
  it.each([
    ["MIT", true],
    ["MIT OR GPL-3.0", true],
    ["(MIT AND Zlib)", true],
    ["Apache-2.0 WITH LLVM-exception", true],
    ["GPL-3.0", false],
    ["GPL-3.0 AND MIT", false],
    ["GPL-3.0 and MIT", false],
    ["(MIT OR Apache-2.0) AND GPL-3.0", false],
    ["GPL-3.0 AND (MIT OR ISC)", false],
    ["MIT OR", false],
    ["SEE LICENSE IN LICENCE.txt", false],
    ["none", false],
  ])("%s: %s", (expression, accepted) => {
    expect(isAccepted(expression, "deployed")).toBe(accepted);
  });

  it("what is only built and tested with may ask for more than what is deployed", () => {
    expect(isAccepted("LGPL-3.0-or-later", "tools")).toBe(true);
    expect(isAccepted("LGPL-3.0-or-later", "deployed")).toBe(false);
  });
});
