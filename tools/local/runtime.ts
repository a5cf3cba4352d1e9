import { readdirSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4MiniflareOptions } from "miniflare";
import {
  unstable_readConfig as readConfig,
  unstable_getMiniflareWorkerOptions as workerOptionsOf,
} from "wrangler";
import { PUBLIC } from "./bundle.ts";

const ROOT = join(import.meta.dirname, "../..");

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
  | "port"
  | "inspectorPort"
  | "resourcePersistencePath"
  | "handleStructuredLogs"
  | "unsafeTriggerHandlers"
  | "unsafeLocalExplorer"
> & {
  /** Instead of the bindings of wrangler.toml. */
  email?: { send_email: { name: string; allowed_sender_addresses?: string[] }[] };
};

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
