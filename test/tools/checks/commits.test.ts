// @module-tag slow
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const ENV = {
  ...process.env,
  PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

let folder: string;
let repository: string;
const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, env: ENV });
const commit = (subject: string) => git("commit", "-q", "--allow-empty", "-m", subject);
const check = (cwd = repository) => {
  const { status, stdout } = spawnSync("sh", ["tools/checks/commits.sh"], {
    cwd,
    env: ENV,
    encoding: "utf8",
  });
  return { status, stdout };
};

const copyScript = (to: string) => {
  mkdirSync(join(to, "tools"), { recursive: true });
  for (const file of ["tools/checks/commits.sh", "package.json"]) cpSync(join(ROOT, file), join(to, file));
  symlinkSync(join(ROOT, "node_modules"), join(to, "node_modules"));
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "commits-"));
  repository = join(folder, "repository");
  mkdirSync(repository);
  git("init", "-q");
  commit("Before the check, any subject is allowed");
  copyScript(repository);
  git("add", "tools", "package.json");
  commit("build(check): check the subjects of commits");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the check of commit subjects", () => {
  it("accepts `type(scope): what` and ignores commits before the check was added", () => {
    commit("fix(lists): keep rows of the last day");
    expect(check()).toEqual({ status: 0, stdout: "" });
  });

  it.each(["Keep rows of the last day", "fix: keep rows of the last day", "fix(lists): Keep rows."])(
    "rejects %j and prints it",
    (subject) => {
      commit(subject);
      expect(check()).toEqual({ status: 1, stdout: expect.stringContaining(subject) });
      git("reset", "-q", "--hard", "HEAD^");
    },
  );

  it("says that it is skipped in a shallow clone and outside a repository", () => {
    const skipped = { status: 0, stdout: expect.stringMatching(/SKIPPED.*git fetch --unshallow/) };
    git("clone", "-q", "--depth=1", `file://${repository}`, join(folder, "shallow"));
    expect(check(join(folder, "shallow"))).toEqual(skipped);
    copyScript(join(folder, "archive"));
    expect(check(join(folder, "archive"))).toEqual(skipped);
  });
});
