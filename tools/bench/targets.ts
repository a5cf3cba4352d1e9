import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { COMPATIBILITY, OBJECTS, SETTINGS } from "../local/runtime.ts";
import { prepare, type WorkerConfig } from "./workerd.ts";

export const PEERS = join(import.meta.dirname, "peers");

export interface Target {
  url: string;
  pid: number;
  /** `Authorization` values used in rotation, because one user would reach its rate limit. */
  authorizations: string[];
  headers?: Record<string, string>;
}

/** Starts a Node process and waits for the port it prints. */
export const startProcess = async (
  file: string,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; port: number }> => {
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { child, port: Number(line) };
};

/** More requests than one user sends in the longest shot. A higher quota would let a counter log more of them. */
const QUOTA = "20000";

/** Bindings, objects and absent services for running the service in workerd. */
export const serviceConfig = (databaseUrl: string): WorkerConfig => ({
  bindings: { ...SETTINGS, RATE_LIMIT_GLOBAL: QUOTA, RATE_LIMIT_AUTH: QUOTA, DATABASE_URL: databaseUrl },
  objects: Object.fromEntries(Object.entries(OBJECTS).map(([name, { className }]) => [name, className])),
  absent: { kv: ["HINTS"], service: ["ASSETS"] },
});

/** Bundles a Worker of `peers`, without the service's wrangler settings. */
export const preparePeer = (folder: string, name: string, worker: WorkerConfig) => {
  const file = join(folder, "wrangler.json");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({
      name,
      main: join(PEERS, `${name}.ts`),
      compatibility_date: COMPATIBILITY.date,
      compatibility_flags: COMPATIBILITY.flags,
    }),
  );
  return prepare(folder, worker, "--config", file);
};
