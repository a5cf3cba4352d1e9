import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const MAX_LENGTH = 120;

/** Biome formats code, but it splits no string, template or comment. */
const NOT_CHECKED = new Set([
  // Generated.
  "src/env.d.ts",
  // The lines are those of the page.
  "src/api/openapi/llms.ts",
]);

it(`no line in src is longer than ${MAX_LENGTH} characters`, () => {
  const files = globSync("src/**/*.ts", { cwd: ROOT }).filter((file) => !NOT_CHECKED.has(file));
  const tooLong = files.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, n) => (line.length > MAX_LENGTH ? [`${file}:${n + 1}`] : [])),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(tooLong).toEqual([]);
});
