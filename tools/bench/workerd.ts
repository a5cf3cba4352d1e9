import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundle } from "../local/bundle.ts";
import { COMPATIBILITY, filesOf } from "../local/runtime.ts";

const WORKERD = join(import.meta.dirname, "../../node_modules/workerd/bin/workerd");

export interface WorkerConfig {
  bindings: Record<string, string>;
  /** Durable Object classes by binding. */
  objects?: Record<string, string>;
  /** Bindings of services the measured routes never call. They answer 404. */
  absent?: Record<"kv" | "service", string[]>;
}

const text = (value: string) => JSON.stringify(value);

const configuration = (
  files: string[],
  { bindings, objects = {}, absent }: WorkerConfig,
) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "absent", worker = .absent),
    (name = "storage", disk = (path = "storage", writable = true)),
    (name = "internet", network = (allow = ["private", "public"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const absent :Workerd.Worker = (
  modules = [(name = "absent", esModule = "export default { fetch: () => new Response(null, { status: 404 }) }")],
  compatibilityDate = ${text(COMPATIBILITY.date)}
);
const main :Workerd.Worker = (
  modules = [${files.map((file) => `(name = ${text(file)}, esModule = embed ${text(`bundle/${file}`)})`).join(", ")}],
  compatibilityDate = ${text(COMPATIBILITY.date)},
  compatibilityFlags = [${COMPATIBILITY.flags.map(text).join(", ")}],
  durableObjectNamespaces = [${Object.values(objects)
    .map((name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`)
    .join(", ")}],
  durableObjectStorage = (localDisk = "storage"),
  bindings = [${[
    ...Object.entries(bindings).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`),
    ...Object.entries(objects).map(
      ([name, value]) => `(name = ${text(name)}, durableObjectNamespace = ${text(value)})`,
    ),
    ...(absent?.kv ?? []).map((name) => `(name = ${text(name)}, kvNamespace = "absent")`),
    ...(absent?.service ?? []).map((name) => `(name = ${text(name)}, service = "absent")`),
  ].join(", ")}]
);
`;

/** A Worker in its own workerd process, without a proxy or simulator. */
export interface Served {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/**
 * Bundles a Worker as a deployment would, ready for `serve`.
 * @param options for wrangler
 * @returns wrangler's output
 */
export const prepare = (folder: string, config: WorkerConfig, ...options: string[]): string => {
  mkdirSync(join(folder, "storage"), { recursive: true });
  const output = bundle(folder, options);
  const files = filesOf(join(folder, "bundle"));
  writeFileSync(join(folder, "config.capnp"), configuration(files, config));
  return output;
};

export const serve = async (folder: string): Promise<Served> => {
  const child = spawn(WORKERD, ["serve", "config.capnp", "--experimental", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const control = child.stdio[3];
  if (!control || !("readable" in control)) throw new Error("workerd has no control pipe");
  const [line] = await once(createInterface({ input: control as NodeJS.ReadableStream }), "line");
  const { port } = JSON.parse(line) as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
};
