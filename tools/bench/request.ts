import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { tokens } from "../local/tokens.ts";
import { get } from "./answers.ts";
import { type Figure, plain } from "./figures.ts";
import { fireInTurn, type Shot } from "./load.ts";
import { needsOfService, preparePeer, startProcess, type Target } from "./targets.ts";
import { prepare, type Served, serve } from "./workerd.ts";

const ROOT = join(import.meta.dirname, "../..");
const LIST = "/v1/lancamentos?per_page=50";
/** Asks nobody but the counter; of `/auth`, whose quota is exact to the moment, each request would ask it. */
const HEALTH = "/health";

/** What a module of `src` is without one part of it, given its own text and the path of `ablation` from there. */
type Rewrite = (source: string, ablation: string) => string;

/** A module of the bench in place of one of the service, with the same exports. */
const standIn =
  (name: string): Rewrite =>
  (_, ablation) =>
    `export * from "${ablation}/${name}.ts";\n`;

/** A counter that keeps its log in memory. */
const withoutStorage: Rewrite = (source, ablation) => {
  const parts = source.split("new SlidingLog(this.ctx.storage");
  if (parts.length !== 2) throw new Error("the counter no longer hands its storage to its log");
  return `import { storage } from "${ablation}/storage.ts";\n${parts.join("new SlidingLog(storage()")}`;
};

/** A part of the service, and the modules a build comes by without it. */
interface Part {
  name: string;
  without: Record<string, Rewrite>;
}

/**
 * What is switched off, one after another: each build is without all that stand before it, too. They are builds of the
 * service itself, in which modules of the bench stand in for its own: it has no switches.
 */
const PARTS: Part[] = [
  { name: "counter's durable write", without: { "limits/counter.ts": withoutStorage } },
  { name: "call of the counter", without: { "limits/middleware.ts": standIn("counter") } },
  { name: "verifying the token", without: { "auth/access-token.ts": standIn("token") } },
  {
    name: "log, headers, CORS, sizes",
    without: Object.fromEntries(
      ["log", "security-headers", "cors", "size-limits"].map((name) => [
        `http/${name}.ts`,
        standIn("middleware"),
      ]),
    ),
  },
  { name: "driver, deadline, breaker", without: { "db/connect.ts": standIn("driver") } },
  { name: "reading the database's answer", without: { "db/connect.ts": standIn("reading") } },
  { name: "trip to the database", without: { "db/connect.ts": standIn("trip") } },
];
const REST = "routing, parameters, what is left of them, sending";
const NOTHING = "workerd: a bare hello";

/** Those of which a request that asks no database has any. */
const WITHOUT_DATABASE = 4;

/** A copy of the project without these parts. */
const copyWithout = (folder: string, parts: Part[]) => {
  for (const name of ["src", "tools/bench/ablation", "wrangler.toml", "package.json", "tsconfig.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const { without } of parts) {
    for (const [module, rewrite] of Object.entries(without)) {
      const source = readFileSync(join(ROOT, "src", module), "utf8");
      const file = join(folder, "src", module);
      writeFileSync(file, rewrite(source, relative(dirname(file), join(folder, "tools/bench/ablation"))));
    }
  }
};

/** Builds the service without these parts, and serves it. */
const serveWithout = (folder: string, parts: Part[], databaseUrl: string): Promise<Served> => {
  const copy = join(folder, "project");
  mkdirSync(copy, { recursive: true });
  copyWithout(copy, parts);
  prepare(folder, needsOfService(databaseUrl), "--cwd", copy);
  return serve(folder);
};

const ms = (value: number) => `${value.toFixed(2)} ms`;

/** A line for each part: what the build with it takes more than the one without. */
const table = (what: string, names: string[], shots: Shot[]): Figure[] => {
  const at = (i: number) => shots[i] as Shot;
  const spent = (shot: Shot) => `${ms(shot.cpuMs)}, ${shot.perSecond.toFixed(0)}/s`;
  const whole = plain(`${what}: all of it`, ms(at(0).cpuMs), `${at(0).perSecond.toFixed(0)}/s`);
  const parts = names.map((name, i) => {
    const without = shots[i + 1];
    const cost = at(i).cpuMs - (without?.cpuMs ?? 0);
    return plain(
      `${what}: ${name}`,
      ms(cost),
      without ? `${spent(at(i))} with it, ${spent(without)} without` : spent(at(i)),
    );
  });
  return [whole, ...parts];
};

/** Builds answer alike, but for what a clock says. */
const answersAlike = async (path: string, targets: Target[]) => {
  const answers = await Promise.all(targets.map((target) => get(target, path)));
  const [whole, ...others] = answers.map((body) => body.replace(/"(uptime|timestamp)":[^,}]*/g, '"$1":0'));
  const other = others.find((body) => body !== whole);
  if (other !== undefined) throw new Error(`${path}: a build answers otherwise: ${other.slice(0, 400)}`);
};

/**
 * Where the CPU of a request goes in workerd: the service beside builds of it that are without one part more each, and a
 * Worker that only says hello. By four connections, so that the process has something to do all the time.
 * @param url the database's connection string
 * @param seconds that one shot of requests lasts
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
      progress(`Request: building it without ${count} of ${PARTS.length} parts`);
      const served = await serveWithout(join(folder, `${count}`), PARTS.slice(0, count), databaseUrl);
      builds.push(add(served, authorizations));
    }
    preparePeer(join(folder, "hello"), "hello", { bindings: {} });
    const hello = add(await serve(join(folder, "hello")), ["-"]);
    const measured = async (what: string, path: string, targets: Target[], names: string[]) => {
      await answersAlike(path, targets);
      progress(`Request: ${what}`);
      const all = Object.fromEntries([...targets, hello].map((target, i) => [i, target]));
      const shots = Object.values(await fireInTurn(all, path, 4, seconds));
      return table(what, [...names, REST, NOTHING], shots);
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
