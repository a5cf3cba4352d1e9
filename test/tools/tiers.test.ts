import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const filesOf = (folder: string) => {
  const files = globSync(`test/${folder}/*.test.ts`, { cwd: ROOT });
  expect(files).not.toEqual([]);
  return files;
};
const hasTag = (tag: string) => (file: string) => read(file).includes(`// @module-tag ${tag}\n`);

// The scripts of a tier in package.json choose tests by project and tag.
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

describe("package.json", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

  it("has a script for each file of the browser project in check:full", () => {
    const excluded = /--exclude='([^']+)'/.exec(scripts["full.browser"] ?? "")?.[1] ?? "";
    const named =
      ["manager", "painel", "layout"]
        .map((name) => scripts[`full.${name}`])
        .join(" ")
        .match(/test\/browser\/\S+/g) ?? [];
    expect(globSync(excluded, { cwd: ROOT }).sort()).toEqual([...named].sort());
    expect(named).toHaveLength(new Set(named).size);
    expect(named.length).toBeGreaterThan(1);
  });

  it("has scripts for each tier that .ci/run starts", () => {
    const tiers = [...read(".ci/run").matchAll(/^npm run (check\S*)$/gm)].map(([, name = ""]) => name);
    expect(tiers).toHaveLength(4);
    for (const name of tiers) {
      const tier = / sh tools\/tier\.sh (\w+) \d$/.exec(scripts[name] ?? "")?.[1];
      expect(Object.keys(scripts).filter((one) => one.startsWith(`${tier}.`)).length, name).toBeGreaterThan(
        3,
      );
    }
  });
});
