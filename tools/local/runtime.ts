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

/** The service's Durable Objects by binding. */
export const OBJECTS = {
  SESSIONS: { className: "Sessions", useSQLite: true },
  LOGINS: { className: "LoginAttempts", useSQLite: true },
  COUNTERS: { className: "Counter", useSQLite: true },
};

/**
 * Bundles a Worker into a folder, as a deployment would.
 * @param root of the project
 * @returns what wrangler said
 */
export const bundle = (folder: string, options: string[] = [], root = ROOT): string =>
  execFileSync("wrangler", ["deploy", ...options, "--dry-run", "--outdir", join(folder, "bundle")], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", DATABASE_URL: "-", TOKEN_KEYS: "-" },
  });

/** The bundled Worker as the runtime takes it. */
export const workerIn = (folder: string, bindings: Record<string, string>) => {
  const bundled = join(folder, "bundle");
  return {
    rootPath: bundled,
    modules: readdirSync(bundled)
      .filter((name) => /\.(js|txt|html)$/.test(name))
      // The entry comes first.
      .sort((a, b) => Number(b === "index.js") - Number(a === "index.js"))
      .map((name) => ({
        type: name.endsWith(".js") ? ("ESModule" as const) : ("Text" as const),
        path: join(bundled, name),
      })),
    compatibilityDate: COMPATIBILITY.date,
    compatibilityFlags: COMPATIBILITY.flags,
    durableObjects: OBJECTS,
    kvNamespaces: ["HINTS"],
    bindings: { ...SETTINGS, ...bindings },
  };
};

/**
 * Runs the bundled Worker on storage in the same folder that outlives it.
 * @param bindings settings besides those above; `DATABASE_URL` is what the Neon driver connects to
 * @param hear is told every line the Worker logs
 */
export const startRuntime = async (
  folder: string,
  bindings: { DATABASE_URL: string } & Record<string, string>,
  hear: (line: string) => void = () => {},
): Promise<{ runtime: Miniflare; url: URL }> => {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...workerIn(folder, bindings),
      resourcePersistencePath: join(folder, "storage"),
      // Drills ask it for the heap of the Worker.
      inspectorPort: 0,
      handleStructuredLogs: ({ message }) => hear(message),
    }),
  );
  return { runtime, url: await runtime.ready };
};
