import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commitId } from "../../tools/own-git.ts";

const folder = mkdtempSync(join(tmpdir(), "commit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
    cwd,
    encoding: "utf8",
  }).trim();

const OUTER = join(folder, "outer");
const INNER = join(OUTER, "project");

/** A repository with one commit. */
const create = (at: string) => {
  mkdirSync(at, { recursive: true });
  git(at, "init", "--quiet");
  writeFileSync(join(at, "file"), at);
  git(at, "add", "file");
  git(at, "commit", "--quiet", "--message", "first");
};

beforeAll(() => {
  create(OUTER);
  mkdirSync(INNER);
});

it("takes no commit of a surrounding repository, however git is called (O2)", () => {
  expect(commitId(INNER)).toBe("no-commit");
  const link = join(folder, "link");
  symlinkSync(INNER, link);
  expect(commitId(link)).toBe("no-commit");
  process.env.GIT_DIR = join(OUTER, ".git");
  try {
    expect(commitId(INNER)).toBe("no-commit");
  } finally {
    delete process.env.GIT_DIR;
  }
});

it("is the commit of the project's own repository, also inside another one and in a worktree (O2)", () => {
  create(INNER);
  const own = git(INNER, "rev-parse", "--short", "HEAD");
  expect(own).not.toBe(git(OUTER, "rev-parse", "--short", "HEAD"));
  expect(commitId(INNER)).toBe(own);
  const tree = join(OUTER, "tree");
  git(INNER, "worktree", "add", "--quiet", tree);
  expect(commitId(tree)).toBe(own);
  writeFileSync(join(INNER, "file"), "changed");
  expect(commitId(INNER)).toBe(`${own}-dirty`);
});
