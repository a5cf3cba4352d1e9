import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/**
 * Runs git in the repository whose top level is the project. Git looks in parent folders, too: an unpacked archive may
 * lie in a repository of another project.
 * @throws without such a repository
 */
export const ownGit = (args: string[], project = ROOT): string => {
  const root = realpathSync(project);
  // Git sets these in hooks. With them, it would use the repository of the hook.
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, ...env } = process.env;
  return execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    env: { ...env, GIT_CEILING_DIRECTORIES: dirname(root) },
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
};

/** The commit id, with `-dirty` if files differ from it. */
export const commitId = (project = ROOT): string => {
  try {
    return ownGit(["describe", "--always", "--dirty", "--exclude=*"], project);
  } catch {
    return "no-commit";
  }
};
