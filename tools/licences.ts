import { existsSync, readFileSync } from "node:fs";

const ROOT = new URL("..", import.meta.url).pathname;

/** Licences that ask for nothing but their own text to be kept, or that concern files we do not change. */
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

/** What may be used to build and test, and must not be part of what is deployed. */
const ACCEPTED_FOR_TOOLS = new Set([...ACCEPTED, "LGPL-3.0-or-later"]);

/** Whether one alternative of an SPDX expression, with all its parts, is accepted. */
const isAccepted = (expression: string, accepted: Set<string>): boolean =>
  expression
    .replace(/[()]/g, "")
    .split(" OR ")
    .some((alternative) => alternative.split(" AND ").every((licence) => accepted.has(licence.trim())));

interface Locked {
  license?: string;
  optionalDependencies?: Record<string, string>;
  link?: boolean;
  dev?: boolean;
}

const lock = JSON.parse(readFileSync(`${ROOT}/package-lock.json`, "utf8")) as {
  packages: Record<string, Locked>;
};
const installed = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes("node_modules/") && !link,
);
const nameOf = (path: string) => path.replace(/^.*node_modules\//, "");

/** What the lock file says, else the package itself; a binary for another platform has that of what it belongs to. */
const licenceOf = (path: string, { license }: Locked): string => {
  if (license) return license;
  const manifest = `${ROOT}/${path}/package.json`;
  if (existsSync(manifest)) {
    const said = JSON.parse(readFileSync(manifest, "utf8"));
    return String(said.license?.type ?? said.license ?? said.licenses?.[0]?.type ?? "none");
  }
  const owner = installed.find(([, { optionalDependencies = {} }]) => nameOf(path) in optionalDependencies);
  return owner?.[1].license ?? "none";
};

const byLicence = Map.groupBy(installed, ([path, locked]) => licenceOf(path, locked));
for (const [licence, packages] of [...byLicence].sort(([, a], [, b]) => b.length - a.length)) {
  console.log(`${String(packages.length).padStart(4)}  ${licence}`);
}
const refused = [...byLicence]
  .map(([licence, packages]) => {
    const bad = packages.filter(([, { dev }]) => !isAccepted(licence, dev ? ACCEPTED_FOR_TOOLS : ACCEPTED));
    return [licence, bad] as const;
  })
  .filter(([, packages]) => packages.length > 0);
for (const [licence, packages] of refused) {
  console.error(`${licence}: ${packages.map(([path]) => nameOf(path)).join(", ")}`);
}
if (refused.length > 0) {
  console.error(
    "These licences have not been accepted: look at them, and add them here or drop the packages.",
  );
  process.exit(1);
}
