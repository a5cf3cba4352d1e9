import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { inside, isText, titlesIn, wordsIn } from "../../tools/titles.ts";

const ROOT = join(import.meta.dirname, "../..");
const CONTRACT = "docs/contract.md";
const DOCUMENT = "test/openapi.snapshot.yaml";

const filesOf = (...patterns: string[]) =>
  globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**", "**/.*/**"] }).sort();
const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** The rules of the contract by code, each with its own part of the text. */
const rules = new Map(
  textOf(CONTRACT)
    .split(/^### (?=[A-Z]\d+ )/m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf(" ")), part]),
);

/** What an item of a list cites: a code, each of a range of codes, or nothing. */
const cited = (item: string): string[] => {
  const [, group, from, to = from] = /^([A-Z])(\d{1,2})(?:–\1(\d{1,2}))?$/.exec(item) ?? [];
  if (group === undefined) return [];
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => `${group}${Number(from) + i}`);
};

const codesIn = (list: string): string[] => list.split(/,\s+/).flatMap(cited);

/** A parenthesis that follows a space, as those of a call do not. */
const PARENTHESIS = /(?<=^|\s)\(([^()]*)\)/g;

/** The codes a text cites: items of a list in parentheses, as in (E3), (L1–L4) or (RFC 7240, I5). */
const citations = (text: string): string[] =>
  [...text.matchAll(PARENTHESIS)].flatMap(([, list = ""]) => codesIn(list));

/**
 * The codes of rules that stand beside a word instead of in parentheses. Ids of records look the same, and stand in
 * quotes: "T1".
 */
const loose = (text: string): string[] =>
  text
    .replace(PARENTHESIS, (whole, list: string) => (codesIn(list).length > 0 ? "" : whole))
    .match(/(?<=[a-z,;] )[A-Z]\d{1,2}\b|\b[A-Z]\d{1,2}(?=[,:;.]? [a-z])/g)
    ?.filter((code) => rules.has(code)) ?? [];

/** A text without its line breaks, and without what a comment begins each of its lines with. */
const unwrapped = (text: string) => text.replace(/\n[ \t]*(?:\*|\/\/|--|#)?[ \t]*/g, " ");

it("a citation leads to a rule, and has the form that is looked for", () => {
  const found = filesOf(
    "*.{md,toml,ts}",
    "{src,test,tools}/**/*.{ts,sql,md}",
    "migrations/*.sql",
    "docs/*.md",
  ).flatMap((file) => {
    const text = unwrapped(textOf(file));
    return [
      ...citations(text)
        .filter((code) => !rules.has(code))
        .map((code) => `${file} cites ${code}, which ${CONTRACT} does not have`),
      ...loose(text).map((code) => `${file} names ${code} outside parentheses: write (${code})`),
    ];
  });
  expect(found).toEqual([]);
});

it("every rule stands once, and the title of a test cites it", () => {
  const codes = textOf(CONTRACT).match(/^### \S+/gm) ?? [];
  expect(codes).toEqual([...rules.keys()].map((code) => `### ${code}`));
  const titles = filesOf("test/**/*.test.ts").flatMap((file) => titlesIn(file, textOf(file)));
  const tested = new Set(titles.flatMap(citations));
  expect([...rules.keys()].filter((code) => !tested.has(code))).toEqual([]);
});

it("no reader of the API meets a code", () => {
  const texts: [file: string, text: string][] = [
    ...filesOf("src/**/*.ts").flatMap((file) =>
      wordsIn(parseSync(file, textOf(file)).program).map((words): [string, string] => [file, words]),
    ),
    ...filesOf("src/assets/{,docs/,painel/}*.{js,html,css}").map((file): [string, string] => [
      file,
      textOf(file),
    ]),
    ...[...inside(parseYaml(textOf(DOCUMENT)))]
      .filter(isText)
      .map((text): [string, string] => [DOCUMENT, text]),
  ];
  const found = texts.flatMap(([file, text]) =>
    [...citations(text), ...loose(text)].map((code) => `${file} shows ${code}`),
  );
  expect(found).toEqual([]);
});
