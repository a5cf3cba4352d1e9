import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { inside, isText, titlesIn, wordsIn } from "../../../tools/checks/titles.ts";

const ROOT = join(import.meta.dirname, "../../..");
const CONTRACT = "docs/contract.md";
const DOCUMENT = "test/api/openapi/openapi.snapshot.yaml";

const filesOf = (...patterns: string[]) =>
  globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**", "**/.*/**"] }).sort();
const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** The rules of the contract: code and section text. */
const rules = new Map(
  textOf(CONTRACT)
    .split(/^### (?=[A-Z]\d+ )/m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf(" ")), part]),
);

/** The codes in one item of a list: one code, a range of codes, or none. */
const codesOfItem = (item: string): string[] => {
  const [, group, from, to = from] = /^([A-Z])(\d{1,2})(?:–\1(\d{1,2}))?$/.exec(item) ?? [];
  if (group === undefined) return [];
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => `${group}${Number(from) + i}`);
};

const codesIn = (list: string): string[] => list.split(/,\s+/).flatMap(codesOfItem);

/** A parenthesis after a space. The parenthesis of a call follows a name. */
const PARENTHESIS = /(?<=^|\s)\(([^()]*)\)/g;

/** The codes that a text cites in parentheses, as in (E3), (L1–L4) or (RFC 7240, I5). */
const citations = (text: string): string[] =>
  [...text.matchAll(PARENTHESIS)].flatMap(([, list = ""]) => codesIn(list));

/**
 * The codes of rules next to a word instead of in parentheses. Ids of records look the same, so they must be
 * in quotes: "T1".
 */
const codesOutsideParentheses = (text: string): string[] =>
  text
    .replace(PARENTHESIS, (whole, list: string) => (codesIn(list).length > 0 ? "" : whole))
    .match(/(?<=[a-z,;] )[A-Z]\d{1,2}\b|\b[A-Z]\d{1,2}(?=[,:;.]? [a-z])/g)
    ?.filter((code) => rules.has(code)) ?? [];

/** Joins the lines of a text, without the markers of comment lines. */
const unwrapped = (text: string) => text.replace(/\n[ \t]*(?:\*|\/\/|--|#)?[ \t]*/g, " ");

it("every code names an existing rule and is in parentheses", () => {
  const problems = filesOf(
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
      ...codesOutsideParentheses(text).map(
        (code) => `${file} names ${code} outside parentheses: write (${code})`,
      ),
    ];
  });
  expect(problems).toEqual([]);
});

it("every rule appears once in the contract and in the title of a test", () => {
  const codes = textOf(CONTRACT).match(/^### \S+/gm) ?? [];
  expect(codes).toEqual([...rules.keys()].map((code) => `### ${code}`));
  const titles = filesOf("test/**/*.test.ts").flatMap((file) => titlesIn(file, textOf(file)));
  const citedCodes = new Set(titles.flatMap(citations));
  expect([...rules.keys()].filter((code) => !citedCodes.has(code))).toEqual([]);
});

it("no text that readers of the API see contains a code", () => {
  const texts: [file: string, text: string][] = [
    ...filesOf("{src,public}/**/*.{ts,tsx}").flatMap((file) =>
      wordsIn(parseSync(file, textOf(file)).program).map((words): [string, string] => [file, words]),
    ),
    ...filesOf("public/**/*.{html,css}").map((file): [string, string] => [file, textOf(file)]),
    ...[...inside(parseYaml(textOf(DOCUMENT)))]
      .filter(isText)
      .map((text): [string, string] => [DOCUMENT, text]),
  ];
  const problems = texts.flatMap(([file, text]) =>
    [...citations(text), ...codesOutsideParentheses(text)].map((code) => `${file} shows ${code}`),
  );
  expect(problems).toEqual([]);
});
