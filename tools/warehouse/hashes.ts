import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownGit } from "../own-git.ts";

const FOLDER = join(import.meta.dirname, "../../migrations");
const LIST = join(import.meta.dirname, "../../test/tools/warehouse/released-migrations.json");

type Hashes = Record<string, string>;

const git = (...args: string[]): string => {
  try {
    return ownGit(["-C", "migrations", ...args]);
  } catch {
    return "";
  }
};

/** The commits that this checkout starts from and that others may have deployed; empty without git's history. */
export const landedCommits = (): string[] =>
  ["origin/main", "main", "v1.0.0"].map((ref) => git("merge-base", "HEAD", ref)).filter(Boolean);

/** The SHA-256 of each migration. */
export const migrationHashes = (): Hashes => {
  const files = readdirSync(FOLDER).filter((name) => /^\d{4}_.*\.sql$/.test(name));
  const hash = (file: string) =>
    createHash("sha256")
      .update(readFileSync(join(FOLDER, file)))
      .digest("hex");
  return Object.fromEntries(files.sort().map((file) => [file, hash(file)]));
};

export const listedHashes = (): Hashes => JSON.parse(readFileSync(LIST, "utf8"));

/**
 * The migrations that landed with other contents than they have now: such a migration is never edited. Without git's
 * history, every migration of the list counts as landed.
 */
export const editedMigrations = (now = migrationHashes(), listed = listedHashes()): string[] => {
  const commits = landedCommits();
  const landed = commits.flatMap((commit) => git("ls-tree", "--name-only", commit).split("\n"));
  const isLanded = (file: string) => commits.length === 0 || landed.includes(file);
  return Object.keys(listed).filter((file) => isLanded(file) && now[file] !== listed[file]);
};

/** Lists the hashes of migrations that have not landed. @throws if one that landed differs */
export const writeHashes = (): void => {
  const edited = editedMigrations();
  if (edited.length > 0)
    throw new Error(`${edited.join(", ")} landed and was edited. Restore it, and write a new migration.`);
  writeFileSync(LIST, `${JSON.stringify(migrationHashes(), null, 2)}\n`);
};
