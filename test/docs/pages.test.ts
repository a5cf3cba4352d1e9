import { execFileSync } from "node:child_process";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { PAGES, ROOT, runScript, textOf } from "../support/node/pages.ts";

const LISTED = ["ls-files", "--cached", "--others", "--exclude-standard"];
const withoutFences = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "");

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .replace(/[`*]|\]\([^)]*\)|\[/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
const anchorsOf = (page: string) =>
  [...withoutFences(textOf(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
const files = new Set(execFileSync("git", LISTED, { cwd: ROOT, encoding: "utf8" }).split("\n"));
const markdownFiles = [...files].filter((file) => file.endsWith(".md"));

it.each(markdownFiles)("every link in %s has a target", (page) => {
  const brokenLinks = [...withoutFences(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^https?:/.test(link))
    .filter((link) => {
      const [path, anchor] = link.split("#");
      const target = path ? normalize(join(dirname(page), path)) : page;
      return !files.has(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
  expect(brokenLinks).toEqual([]);
});

it("every function or variable named in the docs exists", () => {
  const code = [...files].filter((file) =>
    /^(?:src|test|tools|public)\/.*\.[jt]s$|^[\w.]+\.(?:json|ts)$/.test(file),
  );
  const words = new Set(code.flatMap((file) => textOf(file).match(/\w+/g) ?? []));
  const pages = markdownFiles.filter((file) => /^docs\/|^src\/|^SECURITY/.test(file));
  const named = pages.flatMap((page) =>
    [...withoutFences(textOf(page)).matchAll(/`([a-z]+[A-Z]\w*)(?:\(\))?`/g)].map(([, name = ""]) => [
      page,
      name,
    ]),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(([, name = ""]) => !words.has(name))).toEqual([]);
});

it("every file named in the docs exists", () => {
  const named = PAGES.filter((page) => page !== "docs/contract.md").flatMap((page) =>
    [...textOf(page).matchAll(/(?<=[`\s(])(?:src|test|tools|migrations|docs)\/[\w./-]*\w/g)].map(
      ([path]) => `${page}: ${path}`,
    ),
  );
  const isThere = (path: string) => [...files].some((file) => file === path || file.startsWith(`${path}/`));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !isThere(name.split(": ")[1] ?? ""))).toEqual([]);
});

it("the newest release in CHANGELOG.md is the version in package.json and in the OpenAPI document", () => {
  const { version } = JSON.parse(textOf("package.json"));
  const [, newest] = /^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$/m.exec(textOf("CHANGELOG.md")) ?? [];
  const [, documented] = /^ {2}version: (\S+)$/m.exec(textOf("test/api/openapi/openapi.snapshot.yaml")) ?? [];
  expect({ newest, documented }).toEqual({ newest: version, documented: version });
});

it("every npm script named in the docs exists", () => {
  const { scripts } = JSON.parse(textOf("package.json"));
  const named = PAGES.flatMap((page) =>
    [...textOf(page).matchAll(/npm run (?:-s )?([a-z][\w:]*(?:\.\w+)?)/g)].map(([, script = ""]) => script),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});

it("every wrangler command named in the docs exists, with its options", {
  timeout: 120_000,
  tags: ["slow"],
}, async () => {
  const named = new Set(
    PAGES.flatMap((page) => textOf(page).match(/npm run (?:-s )?wrangler -- [a-z][^`#\n]*/g) ?? []).map(
      (command) => command.trim(),
    ),
  );
  expect(named.size).toBeGreaterThan(5);
  const wrong: string[] = [];
  const helps = new Map<string, string>();
  for (const command of named) {
    const [given, words = ""] = /^npm run (?:-s )?wrangler -- ((?:[a-z]+ ?)+)/.exec(command) ?? [""];
    const help =
      helps.get(words) ?? (await runScript(ROOT, `${given.replace("run", "run --silent")} --help`)).output;
    helps.set(words, help);
    const options = command.slice(given.length).match(/--[a-z-]+/g) ?? [];
    // For an unknown command, wrangler prints its list of commands.
    if (!help.includes(`wrangler ${words.trim()}`) || !options.every((one) => help.includes(one)))
      wrong.push(command);
  }
  expect(wrong).toEqual([]);
});
