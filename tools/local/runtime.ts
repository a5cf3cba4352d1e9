import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const ROOT = new URL("../..", import.meta.url).pathname;

/** Bundles the Worker into a folder, as a deployment would. */
export const bundleWorker = (folder: string): void => {
  execFileSync("wrangler", ["deploy", "--dry-run", "--outdir", join(folder, "bundle")], {
    cwd: ROOT,
    stdio: "ignore",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", DATABASE_URL: "-", TOKEN_KEYS: "-" },
  });
};

/**
 * Runs a bundled Worker without limits worth the name, on storage in the same folder that outlives it.
 * @param databaseUrl what the Neon driver connects to
 */
export const startRuntime = async (
  folder: string,
  databaseUrl: string,
): Promise<{ runtime: Miniflare; url: URL }> => {
  const bundle = join(folder, "bundle");
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      rootPath: bundle,
      modules: readdirSync(bundle)
        .filter((name) => /\.(js|txt|html)$/.test(name))
        // The entry comes first.
        .sort((a, b) => Number(b === "index.js") - Number(a === "index.js"))
        .map((name) => ({ type: name.endsWith(".js") ? "ESModule" : "Text", path: join(bundle, name) })),
      compatibilityDate: "2026-11-01",
      compatibilityFlags: ["nodejs_compat"],
      durableObjects: {
        SESSIONS: { className: "Sessions", useSQLite: true },
        LOGINS: { className: "LoginAttempts", useSQLite: true },
        COUNTERS: { className: "Counter", useSQLite: true },
      },
      kvNamespaces: ["HINTS"],
      resourcePersistencePath: join(folder, "storage"),
      bindings: {
        DATABASE_URL: databaseUrl,
        TOKEN_KEYS: `1:${Buffer.alloc(32, 7).toString("base64url")}`,
        CORS_ORIGINS: "*",
        RATE_LIMIT_GLOBAL: 1_000_000,
        RATE_LIMIT_AUTH: 1_000_000,
        REFRESH_LENIENCY_SECONDS: 10,
      },
      handleRuntimeStdio: (out: Readable, error: Readable) => {
        out.resume();
        error.resume();
      },
    }),
  );
  return { runtime, url: await runtime.ready };
};
