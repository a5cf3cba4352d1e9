import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { bundle } from "../local/bundle.ts";
import { COMPATIBILITY, filesOf, OBJECTS, SETTINGS } from "../local/runtime.ts";

/** How the bench and the drill run a Worker: bundled, in a workerd of its own, without a proxy or simulator. */

const WORKERD = join(import.meta.dirname, "../../node_modules/workerd/bin/workerd");
/** More requests than one user sends in the longest shot. A higher quota would let a counter log more of them. */
const QUOTA = "20000";

/** A server under test. */
export interface Target {
  url: string;
  pid: number;
  /** `Authorization` values used in rotation, because one user would reach its rate limit. */
  authorizations: string[];
  headers?: Record<string, string>;
}

/** Sends a GET request to a target. @throws if the status is not 2xx */
export const answerOf = async (target: Target, path: string): Promise<{ body: string; headers: Headers }> => {
  const response = await fetch(`${target.url}${path}`, {
    headers: { ...target.headers, Authorization: target.authorizations[0] ?? "" },
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${body.slice(0, 200)}`);
  return { body, headers: response.headers };
};

interface WorkerConfig {
  bindings: Record<string, string>;
  /** The classes of Durable Objects by binding. */
  objects?: Record<string, string>;
}

const text = (value: string) => JSON.stringify(value);

/** The bindings HINTS and ASSETS answer 404: no measured route needs them. */
const configuration = (files: string[], { bindings, objects = {} }: WorkerConfig) => {
  const namespaces = Object.values(objects).map(
    (name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`,
  );
  const all = [
    ...Object.entries(bindings).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`),
    ...Object.entries(objects).map(
      ([name, value]) => `(name = ${text(name)}, durableObjectNamespace = ${text(value)})`,
    ),
    `(name = "HINTS", kvNamespace = "absent")`,
    `(name = "ASSETS", service = "absent")`,
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
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
  modules = [${files.map((file) => `(name = ${text(file)}, esModule = embed ${text(`bundle/${file}`)})`)}],
  compatibilityDate = ${text(COMPATIBILITY.date)},
  compatibilityFlags = [${COMPATIBILITY.flags.map(text)}],
  durableObjectNamespaces = [${namespaces}],
  durableObjectStorage = (localDisk = "storage"),
  bindings = [${all}]
);
`;
};

/** Bundles a Worker as a deployment would, ready for `serve`. @returns wrangler's output */
const prepare = (folder: string, config: WorkerConfig, options: string[] = []): string => {
  mkdirSync(join(folder, "storage"), { recursive: true });
  const output = bundle(folder, options);
  writeFileSync(join(folder, "config.capnp"), configuration(filesOf(join(folder, "bundle")), config));
  return output;
};

/** Bundles a Worker of `peers`, without the service's wrangler settings. */
export const preparePeer = (folder: string, name: string, bindings: Record<string, string>) => {
  const file = join(folder, "wrangler.json");
  const settings = {
    name,
    main: join(import.meta.dirname, "peers", `${name}.ts`),
    compatibility_date: COMPATIBILITY.date,
    compatibility_flags: COMPATIBILITY.flags,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
  prepare(folder, { bindings }, ["--config", file]);
};

/** Starts a prepared Worker. @param hasInspector whether it has an inspector, which makes it slower */
export const serve = async (folder: string, hasInspector = false) => {
  const options = ["--experimental", "--control-fd=3"];
  if (hasInspector) options.push("--inspector-addr=127.0.0.1:0");
  const awaited = hasInspector ? ["listen", "listen-inspector"] : ["listen"];
  const child = spawn(WORKERD, ["serve", "config.capnp", ...options], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  // What workerd says, without the service's own log lines.
  createInterface({ input: child.stderr as Readable }).on(
    "line",
    (line) => line.startsWith("{") || console.error(line),
  );
  const ports: Record<string, number> = {};
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { event, port } = JSON.parse(line) as { event: string; port: number };
    ports[event] = port;
    if (awaited.every((name) => name in ports)) break;
  }
  return {
    url: `http://127.0.0.1:${ports.listen}`,
    inspector: `http://127.0.0.1:${ports["listen-inspector"]}`,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
};

/** Starts a Neon endpoint in processes of its own, as it runs on another machine in production. */
const startEndpoint = async (url: string): Promise<{ child: ChildProcess; port: number; pids: number[] }> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "endpoint.ts")], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { child, ...(JSON.parse(line) as { port: number; pids: number[] }) };
};

interface ServiceOptions {
  /** In addition to those of every local runtime. */
  settings?: Record<string, string>;
  /** Starts a proxy in front of a port, and returns the port of the proxy. */
  through?: (port: number) => Promise<number>;
  hasInspector?: boolean;
}

/** Starts the service on a database. */
export const startService = async (
  url: string,
  { settings = {}, through = async (port) => port, hasInspector = false }: ServiceOptions = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), "service-"));
  const endpoint = await startEndpoint(url);
  const databaseUrl = `postgres://salon_api:local@127.0.0.1:${await through(endpoint.port)}${new URL(url).pathname}`;
  const quotas = { RATE_LIMIT_GLOBAL: QUOTA, RATE_LIMIT_AUTH: QUOTA };
  const built = prepare(folder, {
    bindings: { ...SETTINGS, ...quotas, ...settings, DATABASE_URL: databaseUrl },
    objects: Object.fromEntries(Object.entries(OBJECTS).map(([name, { className }]) => [name, className])),
  });
  const served = await serve(folder, hasInspector);
  return {
    ...served,
    folder,
    databaseUrl,
    endpointPids: endpoint.pids,
    /** wrangler's output. */
    built,
    /** @param read reads the storage of the objects before it is deleted */
    stop: async (read?: (storage: string) => unknown) => {
      await served.stop();
      endpoint.child.kill();
      read?.(join(folder, "storage"));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
