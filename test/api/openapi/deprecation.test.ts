import { describe, expect, it } from "vitest";
import { type Operation, operationsOf } from "../../support/document.ts";
import { get, post, readDocument } from "../../support/worker/api.ts";

const NOTICE_MS = 180 * 24 * 60 * 60 * 1000;

/** What is wrong with the headers of an operation's response. */
const problemsOf = ({ deprecated }: Operation, headers: Headers): string[] => {
  const [since, sunset, link] = ["Deprecation", "Sunset", "Link"].map((name) => headers.get(name));
  if (!deprecated) return since || sunset ? ["announced, but not deprecated in the document"] : [];
  const [, seconds] = /^@(\d+)$/.exec(since ?? "") ?? [];
  const isDate = new Date(sunset ?? "").toUTCString() === sunset;
  return [
    ...(seconds ? [] : ["no Deprecation"]),
    ...(isDate ? [] : ["no Sunset"]),
    ...(seconds && isDate && Date.parse(sunset) - Number(seconds) * 1000 < NOTICE_MS
      ? ["Sunset too early"]
      : []),
    ...(/<[^>]+>; rel="deprecation"/.test(link ?? "") ? [] : ["no Link"]),
  ];
};

it("operations that the document deprecates, and no others, send Deprecation, Sunset and a link (D3)", async () => {
  const operations = operationsOf(await readDocument());
  expect(operations.length).toBeGreaterThan(30);
  const problems = await Promise.all(
    operations.map(async ({ method, path, operation }) => {
      const url = path.replaceAll(/\{\w+\}/g, "1");
      const { headers } = method === "GET" ? await get(url) : await post(url, {});
      return problemsOf(operation, headers).map((problem) => `${method} ${path}: ${problem}`);
    }),
  );
  expect(problems.flat()).toEqual([]);
});

describe("what is wrong with the headers of a deprecated operation (D3)", () => {
  const announced = {
    Deprecation: "@1798761600",
    Sunset: "Thu, 01 Jul 2027 00:00:00 GMT",
    Link: '<https://example.com/CHANGELOG.md>; rel="deprecation"',
  };
  it.each<[string, Record<string, string>, string[]]>([
    ["nothing", announced, []],
    ["everything", {}, ["no Deprecation", "no Sunset", "no Link"]],
    ["a date in place of a time", { ...announced, Deprecation: announced.Sunset }, ["no Deprecation"]],
    ["an ISO date", { ...announced, Sunset: "2027-07-01" }, ["no Sunset"]],
    ["a short notice", { ...announced, Sunset: "Tue, 29 Jun 2027 00:00:00 GMT" }, ["Sunset too early"]],
  ])("is found: %s", (_, headers, problems) => {
    expect(problemsOf({ deprecated: true } as Operation, new Headers(headers))).toEqual(problems);
  });
});
