import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TIERS } from "../../../tools/checks/tiers.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const filesOf = (folder: string) => {
  const files = globSync(`test/${folder}/*.test.ts`, { cwd: ROOT });
  expect(files).not.toEqual([]);
  return files;
};
const hasTag = (tag: string) => (file: string) => read(file).includes(`// @module-tag ${tag}\n`);

// The steps of a tier choose tests by project, tag and folder.
describe("a tier of .ci/run runs", () => {
  it("each file about the docs: all are slow", () => {
    const files = filesOf("{docs,tools/*}").filter((file) => /inject\("docs"\)/.test(read(file)));
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

describe("tools/checks/tiers.ts", () => {
  it("runs each file of the browser project once in check:full", () => {
    const { browser = "", ...others } = TIERS.full?.steps ?? {};
    const named = Object.values(others).flatMap((command) => command.match(/test\/browser\/\S+/g) ?? []);
    const excluded = [...browser.matchAll(/--exclude=(\S+)/g)].map(([, file]) => file);
    expect(named.length).toBeGreaterThan(1);
    expect(named).toHaveLength(new Set(named).size);
    expect(excluded.sort()).toEqual(named.sort());
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it.each([
    ["server", "server"],
    ["slow", "full"],
  ])("runs each test of tools and docs with the tag %s once in check:%s", (tag, tier) => {
    const { tools = "", watch = "" } = TIERS[tier]?.steps ?? {};
    const folders = [tools, watch].flatMap((command) => command.match(/test\/\S+/g) ?? []);
    const isTagged = (text: string) => text.includes(`"${tag}"`) || text.includes(`@module-tag ${tag}`);
    const files = filesOf("{docs,tools,public,extensions/watch/node}/**").filter((file) =>
      isTagged(read(file)),
    );
    expect(files.length).toBeGreaterThan(20);
    for (const file of files)
      expect([file, folders.filter((folder) => file.startsWith(`${folder}/`)).length]).toEqual([file, 1]);
  });

  it("runs the files about the docs in check:full", () => {
    expect(TIERS.full?.steps.docs).toContain("--project docs --tagsFilter=slow");
  });

  it("has each tier that .ci/run starts, and that the docs name", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const tiers = [...read(".ci/run").matchAll(/^npm run (check\S*)$/gm)].map(([, name = ""]) => name);
    expect(tiers).toHaveLength(4);
    for (const name of tiers) {
      const tier = / node tools\/checks\/tier\.ts (\w+)$/.exec(scripts[name] ?? "")?.[1] ?? "";
      expect(Object.keys(TIERS[tier]?.steps ?? {}).length, name).toBeGreaterThan(3);
    }
  });
});
