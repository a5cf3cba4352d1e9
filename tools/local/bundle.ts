import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import type { AlertRule } from "../../src/extensions/watch/alert-rule.ts";
import { sourcesHash } from "../sources-hash.ts";
import { alertOptions, ROOT, WRANGLER } from "../wrangler.ts";

/** The files for the browser, in the folder of a bundle. A later build replaces those in `dist`. */
export const PUBLIC = "public";

const bundleInto = (folder: string, options: string[], root: string): string => {
  const output = execFileSync(
    process.execPath,
    [WRANGLER, "deploy", ...options, "--dry-run", "--outdir", join(folder, "bundle")],
    {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", DATABASE_URL: "-", TOKEN_KEYS: "-" },
    },
  );
  cpSync(join(root, "dist/public"), join(folder, PUBLIC), { recursive: true });
  return output;
};

const INPUTS = [
  "package.json",
  "package-lock.json",
  "wrangler.toml",
  "tools/assets.ts",
  "{src,public}/**/*.*",
];

const CACHE = join(ROOT, "node_modules/.cache/bundles");
const OUTPUT = "wrangler.txt";
const DAY_MS = 86_400_000;

/** Copies the cached bundle into a folder, and creates it first if missing. @returns wrangler's output */
const copyOfBundle = (cached: string, folder: string, options: string[]): string => {
  if (!existsSync(cached)) {
    mkdirSync(CACHE, { recursive: true });
    for (const name of readdirSync(CACHE)) {
      const isOld = statSync(join(CACHE, name)).mtimeMs < Date.now() - DAY_MS;
      if (isOld) rmSync(join(CACHE, name), { recursive: true, force: true });
    }
    const unfinished = mkdtempSync(join(CACHE, "unfinished-"));
    try {
      writeFileSync(join(unfinished, OUTPUT), bundleInto(unfinished, options, ROOT));
      // Another process may have created it in the meantime.
      if (!existsSync(cached)) renameSync(unfinished, cached);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  for (const part of ["bundle", PUBLIC]) cpSync(join(cached, part), join(folder, part), { recursive: true });
  return readFileSync(join(cached, OUTPUT), "utf8");
};

/**
 * Bundles the service with these rules into a folder, as a deployment would. The bundle is cached in
 * `node_modules/.cache`, by a hash of its sources and rules.
 * @returns wrangler's output
 */
export const bundleWithRules = (folder: string, rules: AlertRule[]): string => {
  const options = alertOptions(rules);
  const name = createHash("sha256").update(sourcesHash(ROOT, INPUTS)).update(options.join()).digest("hex");
  try {
    return copyOfBundle(join(CACHE, name), folder, options);
  } catch (error) {
    // Without write access to `node_modules`, bundle each time.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return bundleInto(folder, options, ROOT);
  }
};

/**
 * Bundles a Worker without rules. Only the service itself is cached.
 * @param options for wrangler, for example another entry file
 * @param root another checkout to bundle
 * @returns wrangler's output
 */
export const bundle = (folder: string, options: string[] = [], root = ROOT): string =>
  root !== ROOT || options.length > 0 ? bundleInto(folder, options, root) : bundleWithRules(folder, []);

/** The folder in which `npm run stack` finds the source map of the version `local`. */
const LOCAL = join(ROOT, "dist/local");

/** Keeps the source map of a bundle as that of the version `local`. Its sources become relative to the new folder. */
export const keepSourceMap = (folder: string): void => {
  const name = "index.js.map";
  const { sourceRoot, ...map } = JSON.parse(readFileSync(join(folder, "bundle", name), "utf8"));
  const sources = map.sources.map((source: string) => relative(LOCAL, join(sourceRoot, source)));
  try {
    mkdirSync(LOCAL, { recursive: true });
    // Another `npm start` may write it at the same time.
    const unfinished = mkdtempSync(`${LOCAL}-`);
    writeFileSync(join(unfinished, name), JSON.stringify({ ...map, sources }));
    renameSync(join(unfinished, name), join(LOCAL, name));
    rmSync(unfinished, { recursive: true });
  } catch (error) {
    // Without write access to `dist`, stacks cannot be mapped.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
};
