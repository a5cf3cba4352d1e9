import { execFileSync } from "node:child_process";
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
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4MiniflareOptions } from "miniflare";
import {
  unstable_readConfig as readConfig,
  unstable_getMiniflareWorkerOptions as workerOptionsOf,
} from "wrangler";
import { sourcesHash } from "../sources-hash.ts";

const ROOT = join(import.meta.dirname, "../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/** Settings for drills, tests and the bench: a public signing key, and limits too high to reach. */
export const SETTINGS = {
  TOKEN_KEYS: `1:${Buffer.alloc(32, 7).toString("base64url")}`,
  CORS_ORIGINS: "*",
  RATE_LIMIT_GLOBAL: "1000000",
  RATE_LIMIT_AUTH: "1000000",
  REFRESH_LENIENCY_SECONDS: "10",
};

const CONFIG = readConfig({ config: join(ROOT, "wrangler.toml") });
export const VARS = CONFIG.vars;
export const COMPATIBILITY = {
  date: CONFIG.compatibility_date ?? "",
  flags: CONFIG.compatibility_flags,
};

/** The service's Durable Objects by binding. */
export const OBJECTS = Object.fromEntries(
  (CONFIG.durable_objects.bindings as { name: string; class_name: string }[]).map(
    ({ name, class_name: className }) => [name, { className, useSQLite: true }],
  ),
);

/** The files for the browser, in the folder of a bundle. A later build replaces those in `dist`. */
const PUBLIC = "public";

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
const copyOfBundle = (cached: string, folder: string): string => {
  if (!existsSync(cached)) {
    mkdirSync(CACHE, { recursive: true });
    for (const name of readdirSync(CACHE)) {
      const isOld = statSync(join(CACHE, name)).mtimeMs < Date.now() - DAY_MS;
      if (isOld) rmSync(join(CACHE, name), { recursive: true, force: true });
    }
    const unfinished = mkdtempSync(join(CACHE, "unfinished-"));
    try {
      writeFileSync(join(unfinished, OUTPUT), bundleInto(unfinished, [], ROOT));
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
 * Bundles a Worker into a folder, as a deployment would. The service's bundle is cached in `node_modules/.cache`, by
 * a hash of its sources.
 * @param options for wrangler, for example another entry file
 * @param root another checkout to bundle
 * @returns wrangler's output
 */
export const bundle = (folder: string, options: string[] = [], root = ROOT): string => {
  if (root !== ROOT || options.length > 0) return bundleInto(folder, options, root);
  const cached = join(CACHE, sourcesHash(ROOT, INPUTS));
  try {
    return copyOfBundle(cached, folder);
  } catch (error) {
    // Without write access to `node_modules`, bundle each time.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return bundleInto(folder, options, root);
  }
};

type Settings = { DATABASE_URL: string; TOKEN_KEYS: string } & NodeJS.Dict<string>;

/** The modules of a bundle, the entry first. */
export const filesOf = (bundled: string): string[] =>
  readdirSync(bundled)
    .filter((name) => name.endsWith(".js"))
    .sort((a, b) => Number(b === "index.js") - Number(a === "index.js"));

/** The bundled Worker as Miniflare options, with the bindings of wrangler.toml. */
export const workerIn = (folder: string, bindings: Settings) => {
  const bundled = join(folder, "bundle");
  // `bindings` holds the secrets. Otherwise wrangler looks for them in the environment and warns.
  const { workerOptions } = workerOptionsOf({ ...CONFIG, secrets: undefined });
  return {
    ...workerOptions,
    rootPath: bundled,
    assets: { ...(workerOptions.assets as object), directory: join(folder, PUBLIC) },
    modules: filesOf(bundled).map((name) => ({ type: "ESModule" as const, path: join(bundled, name) })),
    bindings: { ...VARS, ...bindings },
  };
};

export type RuntimeOptions = Pick<
  V4MiniflareOptions,
  "port" | "inspectorPort" | "resourcePersistencePath" | "handleStructuredLogs" | "unsafeTriggerHandlers"
>;

/**
 * Runs the bundled Worker. Its storage is in the same folder and persists. The inspector is off unless `options` name
 * a port: it does not check origins and shows every setting.
 * @param bindings override wrangler.toml; `DATABASE_URL` is what the Neon driver connects to
 */
export const startRuntime = async (
  folder: string,
  bindings: Settings,
  options: RuntimeOptions = {},
): Promise<{ runtime: Miniflare; url: URL }> => {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...workerIn(folder, bindings),
      // The storage path of the objects contains this name.
      name: CONFIG.name ?? "",
      host: "127.0.0.1",
      resourcePersistencePath: join(folder, "storage"),
      // Do not fetch the `cf` object from the network.
      cf: false,
      ...options,
    }),
  );
  try {
    return { runtime, url: await runtime.ready };
  } catch (error) {
    await runtime.dispose().catch(() => undefined);
    throw error;
  }
};
