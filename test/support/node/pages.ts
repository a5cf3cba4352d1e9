import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { TestContext } from "vitest";
import { startServiceIn } from "./service.ts";

export const ROOT = join(import.meta.dirname, "../../..");
/** The Markdown pages whose commands and programs are tested. */
export const PAGES = ["README.md", "CONTRIBUTING.md", ...globSync("docs/*.md", { cwd: ROOT }).sort()];
export const textOf = (page: string) => readFileSync(join(ROOT, page), "utf8");

export interface Fence {
  page: string;
  heading: string;
  language: string;
  text: string;
}

const fencesOf = (page: string): Fence[] => {
  let heading = "";
  const found: Fence[] = [];
  const pieces = /^#+ (.+)$|^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;
  for (const [, title, indent = "", language = "", text = ""] of textOf(page).matchAll(pieces)) {
    if (title) heading = title;
    else found.push({ page, heading, language, text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "") });
  }
  return found;
};
export const fences = PAGES.flatMap(fencesOf);

export interface ScriptRun {
  output: string;
  failed: string[];
}

/** Runs a script to its end, even if commands fail. */
export const runScript = (
  cwd: string,
  script: string,
  env: Record<string, string | undefined> = {},
): Promise<ScriptRun> =>
  new Promise((resolve) => {
    const trap = "trap 'echo \"failed: $BASH_COMMAND\"' ERR\n";
    const child = execFile(
      "bash",
      ["--norc", "-uE", "-c", `${trap}${script}\nexit 0`],
      { cwd, env: { ...process.env, ...env }, maxBuffer: 1e8, timeout: 280_000 },
      (error, stdout, stderr) => {
        const failed: string[] = stdout.match(/(?<=^failed: ).+$/gm) ?? [];
        // The script did not finish: a syntax error, an unset variable or a timeout.
        if (error) failed.push(`all of it, after ${stdout.slice(-200)}`);
        resolve({ output: stdout + stderr, failed });
      },
    );
    // Commands that prompt for a password read this line. Ignore EPIPE: a script may exit without reading it.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end("a password for nobody\n");
  });

/** The output of the demo service, in the folder that `openDocsFolder` creates. */
export const SERVICE_LOG = "npm-start.log";

/**
 * Creates a folder of links to the project's files, so that commands do not write into the project. Starts a
 * demo service in it.
 */
export const openDocsFolder = async () => {
  const folder = mkdtempSync(join(tmpdir(), "pages-"));
  for (const entry of readdirSync(ROOT).filter((name) => name !== ".data"))
    symlinkSync(join(ROOT, entry), join(folder, entry));
  const served = await startServiceIn(folder, [
    "--var",
    "RATE_LIMIT_AUTH:1000",
    "--var",
    "RATE_LIMIT_GLOBAL:100000",
  ]);
  return { ...served, folder };
};

const TOOLS = ["bash", "curl", "jq", "psql", "pg_dump", "pg_restore", "python3", "openssl"];
const missing = TOOLS.filter(
  (tool) => !process.env.PATH?.split(delimiter).some((path) => globSync(join(path, tool)).length > 0),
);
/** Skips a test if its script uses a tool that is not installed. */
export const skipWithoutTools = ({ skip }: TestContext, script: string) => {
  const missingTools = missing.filter((tool) => script.includes(tool) || tool === "bash");
  if (missingTools.length > 0) skip(`not installed: ${missingTools}`);
};
