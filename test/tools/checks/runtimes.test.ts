import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const CONFIGURATION = ["tsconfig.json", "src/tsconfig.json", "node-in-worker.d.ts"];

const OF_NODE = [
  "export const a = process.env;",
  'export const a = Buffer.from("text");',
  "export let a: NodeJS.Timeout;",
  'export { readFileSync } from "node:fs";',
];
const OF_THE_WORKER = [
  "export let a: DurableObjectNamespace;",
  "export let a: DurableObjectState;",
  "export const a = caches.default;",
  'export { env } from "cloudflare:workers";',
];

const checkout = mkdtempSync(join(tmpdir(), "runtimes-"));
afterAll(() => rmSync(checkout, { recursive: true, force: true }));
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
};

/** Writes each line into a file of a folder. Returns the files that `npm run types` rejects. */
const rejectedFiles = (folder: string, project: string): string[] => {
  [...OF_NODE, ...OF_THE_WORKER].forEach((line, n) => {
    write(`${folder}/line-${n}.ts`, `${line}\n`);
  });
  const { stdout } = spawnSync("tsc", ["-p", project, "--tsBuildInfoFile", ".types", "--pretty", "false"], {
    cwd: checkout,
    encoding: "utf8",
  });
  rmSync(join(checkout, folder), { recursive: true });
  return [
    ...new Set(Array.from(stdout.matchAll(/^(.*)\(\d+,\d+\): error/gm), ([, file = ""]) => file)),
  ].sort();
};

const files = (folder: string, first: number, { length }: string[]) =>
  Array.from({ length }, (_, n) => `${folder}/line-${first + n}.ts`);

it("the type check rejects Node's types in the Worker and the Worker's types in Node", () => {
  for (const name of CONFIGURATION) {
    mkdirSync(dirname(join(checkout, name)), { recursive: true });
    cpSync(join(ROOT, name), join(checkout, name));
  }
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  expect(rejectedFiles("src/access/auth", "src")).toEqual(files("src/access/auth", 0, OF_NODE));
  expect(rejectedFiles("test/access/auth", "src")).toEqual(files("test/access/auth", 0, OF_NODE));
  expect(rejectedFiles("tools", ".")).toEqual(files("tools", OF_NODE.length, OF_THE_WORKER));
  expect(rejectedFiles("test/tools", ".")).toEqual(files("test/tools", OF_NODE.length, OF_THE_WORKER));
});
