import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stepsOf, TIERS, type Tier } from "../../tools/tiers.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const filesOf = (folder: string) => {
  const files = globSync(`test/${folder}/*.test.ts`, { cwd: ROOT });
  expect(files).not.toEqual([]);
  return files;
};
const hasTag = (tag: string) => (file: string) => read(file).includes(`// @module-tag ${tag}\n`);

// The tiers in tools/tiers.ts choose tests by project and tag.
describe("a tier of .ci/run runs", () => {
  it("each file about the docs: all are slow", () => {
    const files = filesOf("tools").filter((file) => /inject\("docs"\)/.test(read(file)));
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => !hasTag("slow")(file))).toEqual([]);
  });

  it("each file about query plans: all need a server", () => {
    expect(filesOf("plans").filter((file) => !hasTag("server")(file))).toEqual([]);
  });

  it("each test of the oracle: no file is slow, and no test is slow without a server", () => {
    expect(filesOf("oracle").filter(hasTag("slow"))).toEqual([]);
    expect(filesOf("oracle").filter((file) => /tags: \["slow"\]/.test(read(file)))).toEqual([]);
  });
});

describe("stepsOf", () => {
  const full = TIERS.full as Tier;
  const namesOf = (names: string[]) => stepsOf(full, names).map(({ name }) => name);

  it("returns the named steps once each, in the order of the tier", () => {
    expect(namesOf(["painel", "manager", "manager"])).toEqual(["manager", "painel"]);
  });

  it("returns all steps if none is named", () => {
    expect(stepsOf(full, [])).toEqual(full.steps);
  });

  it("can select each step: its name is one word, and no other step of the tier has it", () => {
    for (const { steps } of Object.values(TIERS)) {
      const names = steps.map(({ name }) => name);
      expect(names.filter((name) => !/^[\w-]+$/.test(name))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
