import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { copyCheckout } from "../local/checkout.ts";
import { tokens } from "../local/tokens.ts";
import { get } from "./answers.ts";
import { type Figure, plain } from "./figures.ts";
import { fireInTurn, type Shot } from "./load.ts";
import { preparePeer, serviceConfig, startProcess, type Target } from "./targets.ts";
import { prepare, type Served, serve } from "./workerd.ts";

const ROOT = join(import.meta.dirname, "../..");
const LIST = "/v1/lancamentos?per_page=50";
/** Calls only the counter. Routes of `/auth` would call it on every request, because their quota is exact. */
const HEALTH = "/health";

/** Removes one part from a module. Takes the module's source and the relative path to `ablation`. */
type Rewrite = (source: string, ablation: string) => string;

/** Replaces a module of the service with one of the bench that has the same exports. */
const replaceWith =
  (name: string): Rewrite =>
  (_, ablation) =>
    `export * from "${ablation}/${name}.ts";\n`;

/** A counter that keeps its log in memory. */
const withoutStorage: Rewrite = (source, ablation) => {
  const parts = source.split("new SlidingLog(this.ctx.storage");
  if (parts.length !== 2)
    throw new Error("limits/counter.ts does not pass its storage to SlidingLog exactly once");
  return `import { storage } from "${ablation}/storage.ts";\n${parts.join("new SlidingLog(storage()")}`;
};

/** A part of the service, and the module rewrites that remove it. */
interface Part {
  name: string;
  without: Record<string, Rewrite>;
}

/**
 * The parts to remove, in order. Each build also lacks all parts before it. The service has no switches for this:
 * modules are replaced at build time.
 */
const PARTS: Part[] = [
  { name: "counter's durable write", without: { "limits/counter.ts": withoutStorage } },
  { name: "call to the counter", without: { "limits/middleware.ts": replaceWith("counter") } },
  { name: "token verification", without: { "auth/access-token.ts": replaceWith("token") } },
  {
    name: "log, headers, CORS, sizes",
    without: Object.fromEntries(
      ["log", "security-headers", "cors", "size-limits"].map((name) => [
        `http/${name}.ts`,
        replaceWith("middleware"),
      ]),
    ),
  },
  { name: "driver, timeout, circuit breaker", without: { "db/connect.ts": replaceWith("driver") } },
  { name: "parsing the database's response", without: { "db/connect.ts": replaceWith("reading") } },
  { name: "round trip to the database", without: { "db/connect.ts": replaceWith("trip") } },
];
const REMAINDER = "routing, parameters, remaining middleware, sending";
const CONSTANT_RESPONSE = "workerd: a constant response";

/** The number of parts that apply to a request without database access. */
const WITHOUT_DATABASE = 4;

const copyWithout = (folder: string, parts: Part[]) => {
  copyCheckout(folder);
  cpSync(join(ROOT, "tools/bench/ablation"), join(folder, "tools/bench/ablation"), { recursive: true });
  for (const { without } of parts) {
    for (const [module, rewrite] of Object.entries(without)) {
      const source = readFileSync(join(ROOT, "src", module), "utf8");
      const file = join(folder, "src", module);
      writeFileSync(file, rewrite(source, relative(dirname(file), join(folder, "tools/bench/ablation"))));
    }
  }
};

const serveWithout = (folder: string, parts: Part[], databaseUrl: string): Promise<Served> => {
  const copy = join(folder, "project");
  copyWithout(copy, parts);
  prepare(folder, serviceConfig(databaseUrl), "--cwd", copy);
  return serve(folder);
};

const ms = (value: number) => `${value.toFixed(2)} ms`;

/** One line per part: the CPU difference between the builds with and without it. */
const table = (what: string, names: string[], shots: Shot[]): Figure[] => {
  const at = (i: number) => shots[i] as Shot;
  const show = (shot: Shot) => `${ms(shot.cpuMs)}, ${shot.perSecond.toFixed(0)}/s`;
  const total = plain(`${what}: total`, ms(at(0).cpuMs), `${at(0).perSecond.toFixed(0)}/s`);
  const parts = names.map((name, i) => {
    const without = shots[i + 1];
    const cost = at(i).cpuMs - (without?.cpuMs ?? 0);
    return plain(
      `${what}: ${name}`,
      ms(cost),
      without ? `${show(at(i))} with it; ${show(without)} without` : show(at(i)),
    );
  });
  return [total, ...parts];
};

/** Asserts that all builds return the same body, except for times. */
const assertSameBody = async (path: string, targets: Target[]) => {
  const answers = await Promise.all(targets.map((target) => get(target, path)));
  const [expected, ...others] = answers.map((body) => body.replace(/"(uptime|timestamp)":[^,}]*/g, '"$1":0'));
  const other = others.find((body) => body !== expected);
  if (other !== undefined) throw new Error(`${path}: a build returns another body: ${other.slice(0, 400)}`);
};

/**
 * Breaks down the CPU cost of a request in workerd. Compares builds that each lack one more part, and a Worker that
 * returns a constant. Uses four connections to keep the process busy.
 * @param url connection string of the database
 * @param seconds duration of one shot of requests
 */
export const measureRequest = async (
  url: string,
  seconds: number,
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const endpoint = await startProcess(join(import.meta.dirname, "endpoint.ts"), { DATABASE_URL: url });
  const databaseUrl = `postgres://salon_api:local@127.0.0.1:${endpoint.port}${new URL(url).pathname}`;
  const builds: Target[] = [];
  const stops: (() => Promise<void>)[] = [];
  const add = (served: Served, authorizations: string[]) => {
    stops.push(served.stop);
    return { ...served, authorizations };
  };
  try {
    const authorizations = await tokens(500);
    for (let count = 0; count <= PARTS.length; count += 1) {
      progress(`Request: building the service without ${count} of ${PARTS.length} parts`);
      const served = await serveWithout(join(folder, `${count}`), PARTS.slice(0, count), databaseUrl);
      builds.push(add(served, authorizations));
    }
    preparePeer(join(folder, "hello"), "hello", { bindings: {} });
    const hello = add(await serve(join(folder, "hello")), ["-"]);
    const measured = async (what: string, path: string, targets: Target[], names: string[]) => {
      await assertSameBody(path, targets);
      progress(`Request: ${what}`);
      const all = Object.fromEntries([...targets, hello].map((target, i) => [i, target]));
      const shots = Object.values(await fireInTurn(all, path, 4, seconds));
      return table(what, [...names, REMAINDER, CONSTANT_RESPONSE], shots);
    };
    const names = PARTS.map(({ name }) => name);
    return [
      ...(await measured("list of 50", LIST, builds, names)),
      ...(await measured(
        "/health",
        HEALTH,
        builds.slice(0, WITHOUT_DATABASE + 1),
        names.slice(0, WITHOUT_DATABASE),
      )),
    ];
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    endpoint.child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
};
