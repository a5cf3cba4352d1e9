import { execFileSync } from "node:child_process";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { PAGES, ROOT, run, textOf } from "../support/pages.ts";

const LISTED = ["ls-files", "--cached", "--others", "--exclude-standard"];
const withoutFences = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "");

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .replace(/[`*]|\]\([^)]*\)|\[/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
const anchorsOf = (page: string) =>
  [...withoutFences(textOf(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
const files = new Set(execFileSync("git", LISTED, { cwd: ROOT, encoding: "utf8" }).split("\n"));
const all = [...files].filter((file) => file.endsWith(".md"));

it.each(all)("every link of %s leads somewhere", (page) => {
  const dead = [...withoutFences(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^https?:/.test(link))
    .filter((link) => {
      const [path, anchor] = link.split("#");
      const target = path ? normalize(join(dirname(page), path)) : page;
      return !files.has(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
  expect(dead).toEqual([]);
});

it("every file that is named is there", () => {
  const named = PAGES.filter((page) => page !== "docs/contract.md").flatMap((page) =>
    [...textOf(page).matchAll(/(?<=[`\s(])(?:src|test|tools|migrations|docs)\/[\w./-]*\w/g)].map(
      ([path]) => `${page}: ${path}`,
    ),
  );
  const isThere = (path: string) => [...files].some((file) => file === path || file.startsWith(`${path}/`));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !isThere(name.split(": ")[1] ?? ""))).toEqual([]);
});

it("the newest release in CHANGELOG.md is the version of package.json and of the document", () => {
  const { version } = JSON.parse(textOf("package.json"));
  const [, newest] = /^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$/m.exec(textOf("CHANGELOG.md")) ?? [];
  const [, documented] = /^ {2}version: (\S+)$/m.exec(textOf("test/openapi.snapshot.yaml")) ?? [];
  expect({ newest, documented }).toEqual({ newest: version, documented: version });
});

it("every npm script that is named is one", () => {
  const { scripts } = JSON.parse(textOf("package.json"));
  const named = PAGES.flatMap((page) =>
    [...textOf(page).matchAll(/npm run (?:-s )?([a-z][\w:]*)/g)].map(([, script = ""]) => script),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});

it("every command of wrangler that is named is one, with its options", {
  timeout: 120_000,
  tags: ["slow"],
}, async () => {
  const named = new Set(
    PAGES.flatMap((page) => textOf(page).match(/npm run wrangler -- [a-z][^`#\n]*/g) ?? []).map((command) =>
      command.trim(),
    ),
  );
  expect(named.size).toBeGreaterThan(5);
  const wrong: string[] = [];
  const helps = new Map<string, string>();
  for (const command of named) {
    const [given, words = ""] = /^npm run wrangler -- ((?:[a-z]+ ?)+)/.exec(command) ?? [""];
    const help =
      helps.get(words) ?? (await run(ROOT, `${given.replace("run", "run --silent")} --help`)).output;
    helps.set(words, help);
    const options = command.slice(given.length).match(/--[a-z-]+/g) ?? [];
    // Asked for a command it does not have, wrangler shows its list of commands.
    if (!help.includes(`wrangler ${words.trim()}`) || !options.every((one) => help.includes(one)))
      wrong.push(command);
  }
  expect(wrong).toEqual([]);
});
