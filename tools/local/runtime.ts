import { execFileSync } from "node:child_process";
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
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      rootPath: join(folder, "bundle"),
      scriptPath: "index.js",
      modulesRules: [
        { type: "ESModule", include: ["**/*.js"] },
        { type: "Text", include: ["**/*.txt", "**/*.html"] },
      ],
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
