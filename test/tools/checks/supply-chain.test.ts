import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { FOLDERS, isAccepted } from "../../../tools/checks/licences.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
}

const manifestOf = (folder: string) => read(join(folder, "package.json"));
const dependenciesOf = (folder: string): Record<string, string> => {
  const { dependencies, devDependencies, optionalDependencies } = manifestOf(folder);
  return { ...dependencies, ...devDependencies, ...optionalDependencies };
};
const DEPENDENCIES = readFileSync(join(ROOT, "docs/dependencies.md"), "utf8");
const lockedIn = (folder: string) => {
  const { packages } = read(join(folder, "package-lock.json")) as { packages: Record<string, Locked> };
  return Object.entries(packages).filter(([path]) => path !== "");
};

it("licences.ts audits every package of the repository", () => {
  const manifests = execFileSync("git", ["ls-files", "*package.json"], { cwd: ROOT, encoding: "utf8" });
  expect(manifests.trim().split("\n").map(dirname).sort()).toEqual(FOLDERS);
});

describe.each(FOLDERS)("the lock file of %s", (folder) => {
  const installed = lockedIn(folder);

  it("has a hash of every package, except binaries of other platforms that docs/dependencies.md names", () => {
    const unhashed = installed.filter(([, { integrity }]) => !integrity);
    for (const [path, { optional }] of unhashed) {
      const [family] = /@biomejs\/cli-|@cloudflare\/workerd-/.exec(path) ?? [];
      expect([path, optional, family && DEPENDENCIES.includes(`\`${family}*\``)]).toEqual([path, true, true]);
    }
    expect(unhashed.length).toBeLessThanOrEqual(folder === "." ? 11 : 0);
  });

  it("names no registry", () => {
    expect(installed.length).toBeGreaterThan(0);
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it("has no package with an install script that allowScripts in package.json does not list", () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    const decided = Object.keys(manifestOf(folder).allowScripts ?? {});
    expect(scripted.filter((path) => !decided.includes(path.replace(/^.*node_modules\//, "")))).toEqual([]);
  });

  it("has exact versions of all direct dependencies", () => {
    const wanted = Object.values(dependenciesOf(folder));
    expect(wanted.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it("has exactly the direct dependencies that docs/dependencies.md explains", () => {
    const rows = [...DEPENDENCIES.matchAll(/^\| ([^|(]+)(?: \(in `(\S+)`\))? \| [^|]+ \|$/gm)];
    const documented = rows
      .filter(([, , where = "."]) => where === folder)
      .flatMap(([, names = ""]) => names.split(", "))
      .filter((name) => name !== "Package");
    expect(documented.sort()).toEqual(Object.keys(dependenciesOf(folder)).sort());
  });
});

it("the lock file contains the Node that runs npm scripts, in one version for every platform, with hashes", () => {
  const packages = Object.fromEntries(lockedIn("."));
  const platforms = Object.entries(manifestOf(".").optionalDependencies as Record<string, string>);
  const [, version] = platforms[0] ?? [];
  for (const [name, wanted] of platforms) {
    expect(wanted).toBe(version);
    expect(packages[`node_modules/${name}`]).toMatchObject({ version, integrity: expect.any(String) });
  }
  const run = ["run", "--silent", "node", "--", "--version"];
  // As in a fresh shell, without the project's programs on the path.
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const env = { ...process.env, PATH: path.join(delimiter) };
  expect(execFileSync("npm", run, { cwd: ROOT, env, encoding: "utf8" }).trim()).toBe(`v${version}`);
});

it.each(FOLDERS)("every npm script of %s that runs a program uses the pinned Node", (folder) => {
  const pin = `. ${join(relative(folder, "tools"), "pinned-node.sh")} && `;
  const runsOnlyNpm = (command: string) =>
    command.split(" && ").every((one) => /^(\w+=\S* )*npm |^\. tools\/checks\/test-server\.sh$/.test(one));
  const scripts = Object.entries<string>(manifestOf(folder).scripts ?? {});
  expect(scripts.filter(([, command]) => !command.startsWith(pin) && !runsOnlyNpm(command))).toEqual([]);
});

it("every action of a workflow is pinned by the SHA of a commit, with its version beside it", () => {
  const workflows = globSync(".github/{workflows,actions}/**/*.{yml,yaml}", { cwd: ROOT });
  const used = workflows.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(/^[\s-]*["']?uses["']?\s*:.*$/gm)].map(
      ([line]) => line,
    ),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((line) => !/^[\s-]*uses: [\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
    [],
  );
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
  ])("of %s are accepted for the deployed code: %s", (expression, accepted) => {
    expect(isAccepted(expression, "deployed")).toBe(accepted);
  });

  it("with stronger conditions are accepted for tools, but not for the deployed code", () => {
    expect(isAccepted("LGPL-3.0-or-later", "tools")).toBe(true);
    expect(isAccepted("LGPL-3.0-or-later", "deployed")).toBe(false);
  });
});
