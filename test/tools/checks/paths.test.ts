import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");

/** The only file that compares paths. */
const POLICIES = "src/core/policies.ts";

/** A path that is compared, or a middleware for a path. */
const COMPARISONS = [
  /\bpath\b\)?(\.startsWith|\.endsWith| [!=]==)/,
  /\.(test|exec)\([\w.]*\bpath\)/,
  /\[[\w.]*\bpath\]/,
  /\.use\(\s*["'`]\//,
];

const comparesPaths = (line: string) => COMPARISONS.some((comparison) => comparison.test(line));

it.each([
  'c.req.path === "/mcp"',
  'path.startsWith("/v1/")',
  "/^\\/(auth|oauth)\\//.test(c.req.path)",
  "RENEWALS[c.req.path]",
  'app.use("/docs/", errorPages)',
])("finds a comparison of paths: %s", (line) => {
  expect(comparesPaths(line)).toBe(true);
});

it(`only ${POLICIES} says what holds for a path`, () => {
  const files = globSync("src/**/*.ts", { cwd: ROOT }).filter((file) => file !== POLICIES);
  const comparing = files.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .filter(comparesPaths)
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(files.length).toBeGreaterThan(100);
  // The tag of an operation is a part of its path.
  expect(comparing).toEqual([
    expect.stringContaining('src/api/openapi/examples-and-headers.ts: const [, tag = "docs"]'),
  ]);
});
