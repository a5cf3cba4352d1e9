import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import parse from "spdx-expression-parse";
import { fail, readArguments } from "../arguments.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Licences that only require keeping their text, or that cover files we do not modify. */
const ACCEPTED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC-BY-4.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "PSF-2.0",
  "PostgreSQL",
  "Python-2.0",
  "Unlicense",
  "Zlib",
]);

/** Licences accepted for build and test packages, but not for deployed ones. */
const ACCEPTED_FOR_TOOLS = new Set([...ACCEPTED, "CC-BY-3.0", "CC-BY-SA-4.0", "LGPL-3.0-or-later", "WTFPL"]);

// An exception or "or later" only grants more rights, so ignore both.
const isMet = (by: parse.Info, accepted: Set<string>): boolean => {
  if (!("conjunction" in by)) return accepted.has(by.license);
  const [left, right] = [isMet(by.left, accepted), isMet(by.right, accepted)];
  return by.conjunction === "and" ? left && right : left || right;
};

/** Whether a package with this SPDX expression may be used. Invalid expressions are refused. */
export const isAccepted = (expression: string, use: "deployed" | "tools"): boolean => {
  // A dictionary of cspell writes "CC BY-SA 4.0", which is not an SPDX identifier.
  const identifier = expression.replace(/^CC (BY\S*) (\d\.\d)$/, "CC-$1-$2");
  try {
    return isMet(parse(identifier), use === "tools" ? ACCEPTED_FOR_TOOLS : ACCEPTED);
  } catch {
    return false;
  }
};

interface Locked {
  license?: string;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
}

/** Folders with a lock file, relative to the root: the service and the tools with their own packages. */
export const FOLDERS = globSync("{.,tools/*,test/*}/package-lock.json", { cwd: ROOT }).map(dirname).sort();

const lockedIn = (folder: string): [path: string, locked: Locked][] => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, folder, "package-lock.json"), "utf8"));
  return Object.entries<Locked>(packages)
    .filter(([path]) => path !== "")
    .map(([path, locked]) => [join(folder, path), locked]);
};
const nameOf = (path: string) => path.replace(/^.*node_modules\//, "");

/**
 * Reads the licence from the lock file, else from the package's manifest. A binary for another platform is not
 * installed: use the licence of the package that depends on it.
 */
const licenceOf = (path: string, { license }: Locked, all: [string, Locked][]): string => {
  if (license) return license;
  const file = join(ROOT, path, "package.json");
  if (existsSync(file)) {
    const manifest = JSON.parse(readFileSync(file, "utf8"));
    return String(manifest.license?.type ?? manifest.license ?? manifest.licenses?.[0]?.type ?? "none");
  }
  const owner = all.find(([, { optionalDependencies = {} }]) => nameOf(path) in optionalDependencies);
  return owner?.[1].license ?? "none";
};

const USAGE = `Counts the packages by licence. Exits with 1 if a licence is not accepted.

  npm run node -- tools/checks/licences.ts
  npm run node -- tools/checks/licences.ts --audit   first asks the registry for known advisories`;

/** Prints the known advisories of every package. Exits with 1 if one is of high severity. */
const audit = (): void => {
  for (const folder of FOLDERS) {
    const options = ["--prefix", folder, "audit", "--audit-level=high"];
    if (spawnSync("npm", options, { cwd: ROOT, stdio: "inherit" }).status !== 0)
      fail(`npm audit found advisories in ${folder}, or could not run.`, 1);
  }
};

if (import.meta.main) {
  const { values } = readArguments(USAGE, { options: { audit: { type: "boolean" } } });
  if (values.audit) audit();
  const all = FOLDERS.flatMap(lockedIn);
  const byLicence = Map.groupBy(all, ([path, locked]) => licenceOf(path, locked, all));
  for (const [licence, packages] of [...byLicence].sort(([, a], [, b]) => b.length - a.length)) {
    console.log(`${String(packages.length).padStart(4)}  ${licence}`);
  }
  const refused = [...byLicence]
    .map(([licence, packages]) => {
      const unaccepted = packages.filter(([, { dev }]) => !isAccepted(licence, dev ? "tools" : "deployed"));
      return [licence, unaccepted] as const;
    })
    .filter(([, packages]) => packages.length > 0);
  for (const [licence, packages] of refused) {
    console.error(`${licence}: ${packages.map(([path]) => nameOf(path)).join(", ")}`);
  }
  if (refused.length > 0) {
    fail(
      "These licences are not accepted. Remove the packages, or accept the licences in tools/checks/licences.ts.",
      1,
    );
  }
}
