import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/stored-keys.md"), "utf8");

/** Keys of objects and KV, and names of objects: constants, and the fixed part of a template. */
const KEYS = [
  /const (?:\w+_)?(?:KEY|PREFIX) = "([^"]+)"/g,
  /const \w*[kK]ey = \([^)]*\)[^=]*=> `([a-z]+:)/g,
  /getByName\([`"]([a-z]+:?)/g,
];

it("docs/stored-keys.md lists every stored key and every name of an object", () => {
  const files = globSync("src/{access,platform,extensions}/**/*.ts", { cwd: ROOT });
  const found = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    return KEYS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, key = ""]) => key));
  });
  // The beginnings of a token and of a client secret, which are not stored.
  const stored = [...new Set(found)].filter((key) => !["agt_", "ocs_"].includes(key)).sort();
  expect(stored).toEqual([
    "blocked:",
    "ended:",
    "family:",
    "hit:",
    "known",
    "revoked:",
    "state",
    "summary",
    "used:",
    "user:",
    "watch",
  ]);
  expect(stored.filter((key) => !PAGE.includes(`\`${key}\``))).toEqual([]);
});
