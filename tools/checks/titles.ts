import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseSync } from "vite";
import { readArguments } from "../arguments.ts";

const ROOT = join(import.meta.dirname, "../..");

const USAGE = `Lists the titles of all tests by file, or the titles removed (-) and added (+) since a commit.

  npm run node -- tools/checks/titles.ts [--since COMMIT]`;

/** All values inside a value, at any depth. */
export function* inside(value: unknown): Generator<unknown> {
  yield value;
  if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) yield* inside(part);
}

export const isText = (value: unknown): value is string => typeof value === "string";

/** The text of string literals and templates, without template expressions. */
export const wordsIn = (tree: unknown): string[] =>
  [...inside(tree)].flatMap((value) => {
    const node = value as { type?: string; value?: unknown } | null;
    if (node?.type === "Literal") return [node.value].filter(isText);
    return node?.type === "TemplateElement" ? [(node.value as { raw: string }).raw] : [];
  });

interface Call {
  type?: string;
  start: number;
  arguments: { type?: string }[];
}

/**
 * The titles of a file's tests and `describe` groups, except skipped ones.
 * @param text the file's source; a call is recognized as a test by its text
 */
export const titlesIn = (file: string, text: string): string[] =>
  [...inside(parseSync(file, text).program)].flatMap((value) => {
    const node = value as Call | null;
    if (node?.type !== "CallExpression" || !/^(?:Template)?Literal$/.test(node.arguments[0]?.type ?? ""))
      return [];
    const isTest = /^(?:it|describe)\b(?!\.(?:skip|todo)\b)/.test(text.slice(node.start));
    return isTest ? [wordsIn(node.arguments[0]).join("")] : [];
  });

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 28 });

/** The titles with their files, of a commit or of the git index. */
const titlesOf = (commit: string): Set<string> => {
  const files = git("ls-tree", "-r", "--name-only", commit, "test").trim().split("\n");
  return new Set(
    files
      .filter((file) => file.endsWith(".test.ts"))
      .flatMap((file) =>
        titlesIn(file, git("show", `${commit}:${file}`)).map((title) => `${file} › ${title}`),
      ),
  );
};

if (import.meta.main) {
  const { values } = readArguments(USAGE, { options: { since: { type: "string" } } });
  const now = titlesOf("HEAD");
  if (values.since === undefined) for (const title of now) console.log(title);
  else {
    const before = titlesOf(values.since);
    for (const title of before) if (!now.has(title)) console.log(`- ${title}`);
    for (const title of now) if (!before.has(title)) console.log(`+ ${title}`);
    console.log(`${before.size} titles at ${values.since}, ${now.size} now.`);
  }
}
