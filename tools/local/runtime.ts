import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const ROOT = new URL("../..", import.meta.url).pathname;

/** Settings of a runtime started here: one signing key, and no limits worth the name. */
export const SETTINGS = {
  TOKEN_KEYS: `1:${Buffer.alloc(32, 7).toString("base64url")}`,
  CORS_ORIGINS: "*",
  RATE_LIMIT_GLOBAL: "1000000",
  RATE_LIMIT_AUTH: "1000000",
  REFRESH_LENIENCY_SECONDS: "10",
};
export const COMPATIBILITY = { date: "2026-11-01", flags: ["nodejs_compat"] };

/** Bundles a Worker into a folder, as a deployment would. @returns what wrangler said */
export const bundle = (folder: string, ...options: string[]): string =>
  execFileSync("wrangler", ["deploy", "--dry-run", "--outdir", join(folder, "bundle"), ...options], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", DATABASE_URL: "-", TOKEN_KEYS: "-" },
  });

/**
 * Runs the bundled Worker on storage in the same folder that outlives it.
 * @param databaseUrl what the Neon driver connects to
 * @param hear is told every line the Worker logs
 */
export const startRuntime = async (
  folder: string,
  databaseUrl: string,
  hear: (line: string) => void = () => {},
): Promise<{ runtime: Miniflare; url: URL }> => {
  const bundled = join(folder, "bundle");
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      rootPath: bundled,
      modules: readdirSync(bundled)
        .filter((name) => /\.(js|txt|html)$/.test(name))
        // The entry comes first.
        .sort((a, b) => Number(b === "index.js") - Number(a === "index.js"))
        .map((name) => ({ type: name.endsWith(".js") ? "ESModule" : "Text", path: join(bundled, name) })),
      compatibilityDate: COMPATIBILITY.date,
      compatibilityFlags: COMPATIBILITY.flags,
      durableObjects: {
        SESSIONS: { className: "Sessions", useSQLite: true },
        LOGINS: { className: "LoginAttempts", useSQLite: true },
        COUNTERS: { className: "Counter", useSQLite: true },
      },
      kvNamespaces: ["HINTS"],
      resourcePersistencePath: join(folder, "storage"),
      bindings: { ...SETTINGS, DATABASE_URL: databaseUrl },
      handleStructuredLogs: ({ message }) => hear(message),
    }),
  );
  return { runtime, url: await runtime.ready };
};
