import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The SHA-256 of the files that the patterns match, with their names. Used to see whether sources have changed. */
export const sourcesHash = (root: string, patterns: string[]): string => {
  const hash = createHash("sha256");
  for (const file of globSync(patterns, { cwd: root }).sort())
    hash.update(`\n${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
};
