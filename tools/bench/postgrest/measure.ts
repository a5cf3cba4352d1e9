import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { cpuSeconds } from "../../local/processes.ts";
import { tokens } from "../../local/tokens.ts";
import { connected } from "../../warehouse/databases.ts";
import { get } from "../answers.ts";
import { atMost, elapsed, type Figure, inTurn, median, plain } from "../figures.ts";
import { fire, warmedUp } from "../load.ts";
import { serviceConfig, startProcess, type Target } from "../targets.ts";
import { prepare, serve } from "../workerd.ts";
import { compareAnswers, withHeaders } from "./answers.ts";
import { findPostgrest } from "./binary.ts";
import { type ComparedRequest, comparedRequests } from "./questions.ts";
import { namedUrl, startPostgrest } from "./server.ts";

/** Requests rotate over many users, because one user would reach its rate limit. */
const USERS = 500;

/** One server under test. `application` is the `application_name` of its Postgres backends. */
interface Side {
  target: Target;
  endpointPid?: number;
  application: string;
}

/** The result of one shot. CPU times are in ms per request. */
interface Measurement {
  perSecond: number;
  p99: number;
  server: number;
  endpoint: number;
  postgres: number;
  sessions: number;
}

type Both<T> = Record<"us" | "them", T>;

/**
 * CPU seconds of a side's backends, by process id. Excludes parallel workers, which exit before this runs. Only
 * PostgREST's counts and reports use them.
 */
const backendsOf = async (db: pg.Client, application: string): Promise<Map<number, number>> => {
  const { rows } = await db.query(
    "select pid from pg_stat_activity where application_name = $1 and backend_type = 'client backend'",
    [application],
  );
  const backends = new Map<number, number>();
  for (const { pid } of rows) {
    try {
      backends.set(pid, cpuSeconds(pid));
    } catch {
      // The pool has ended this idle session since the query.
    }
  }
  if (rows.length > 0 && backends.size === 0) throw new Error("/proc shows no backend of this server.");
  return backends;
};

/** Slow requests run a fixed number (two per connection) instead of a fixed time, so that each is counted fully. */
const shotLengthFor = async (target: Target, path: string, connections: number, seconds: number) => {
  const one = await elapsed(() => get(target, path));
  const isSlow = one * connections * 4 > seconds * 1000;
  return isSlow ? { amount: Math.max(4, 2 * connections) } : { duration: seconds };
};

const shoot = async (
  db: pg.Client,
  { target, endpointPid, application }: Side,
  path: string,
  connections: number,
  seconds: number,
): Promise<Measurement> => {
  const warm = await warmedUp(target, path);
  const length = await shotLengthFor(warm, path, connections, seconds);
  const endpointCpu = () => (endpointPid === undefined ? 0 : cpuSeconds(endpointPid));
  const [earlier, endpoint] = [await backendsOf(db, application), endpointCpu()];
  const shot = await fire(warm, path, connections, length);
  const backends = await backendsOf(db, application);
  let postgres = 0;
  for (const [pid, cpu] of backends) postgres += cpu - (earlier.get(pid) ?? 0);
  const msPerRequest = (cpu: number) => (cpu / shot.answered) * 1000;
  return {
    perSecond: shot.perSecond,
    p99: shot.p99,
    server: shot.cpuMs,
    endpoint: msPerRequest(endpointCpu() - endpoint),
    postgres: msPerRequest(postgres),
    sessions: backends.size,
  };
};

const medians = (shots: Measurement[]): Measurement => {
  const of = (measure: keyof Measurement) => median(shots.map((shot) => shot[measure]));
  return {
    perSecond: of("perSecond"),
    p99: of("p99"),
    server: of("server"),
    endpoint: of("endpoint"),
    postgres: of("postgres"),
    sessions: of("sessions"),
  };
};

const measured = async (
  db: pg.Client,
  asked: ComparedRequest,
  { us, them }: Both<Side>,
  connections: number,
  seconds: number,
): Promise<Both<Measurement>> => {
  const theirs = { ...them, target: withHeaders(them.target, asked) };
  const secondsOf = (round: number) => (round === 0 ? seconds / 2 : seconds);
  const shots = await inTurn(3, {
    us: (round) => shoot(db, us, asked.ours, connections, secondsOf(round)),
    them: (round) => shoot(db, theirs, asked.theirs, connections, secondsOf(round)),
  });
  return { us: medians(shots.us), them: medians(shots.them) };
};

const withOptionalBar = (measure: string, value: number, bar: number | undefined, detail: string): Figure =>
  bar === undefined ? plain(measure, value.toFixed(2), detail) : atMost(measure, value, bar, detail);

const figuresOf = (
  asked: ComparedRequest,
  one: Both<Measurement>,
  many: Both<Measurement>,
  visits: number,
): Figure[] => {
  const ms = ({ perSecond }: Measurement) => 1000 / perSecond;
  const each = ({ us, them }: Both<Measurement>, show: (taken: Measurement) => string) =>
    `${show(us)} / ${show(them)}`;
  const cpu = (of: "server" | "postgres") => `${each(many, (taken) => taken[of].toFixed(2))} ms`;
  return [
    withOptionalBar(
      `${asked.name}: ours / PostgREST`,
      ms(one.us) / ms(one.them),
      // The bars apply to the largest table only.
      visits >= 2_000_000 ? asked.latency : undefined,
      `${each(one, (taken) => `${ms(taken).toFixed(1)} (p99 ${taken.p99}) ms`)}; 16 connections: ${each(many, ({ perSecond }) => `${perSecond.toFixed(0)}/s`)}`,
    ),
    withOptionalBar(
      `${asked.name}, Postgres CPU: ours / PostgREST`,
      many.us.postgres / many.them.postgres,
      asked.cpu,
      `${cpu("postgres")}; server ${cpu("server")}, Neon endpoint ${many.us.endpoint.toFixed(2)} ms`,
    ),
  ];
};

const measureEach = async (
  url: string,
  visits: number,
  seconds: number,
  sides: Both<Side>,
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const all = comparedRequests(visits);
  progress("PostgREST: comparing responses");
  for (const asked of all) await compareAnswers(asked, sides.us.target, sides.them.target);
  return connected(url, async (db) => {
    const figures: Figure[] = [];
    const sessions: Both<Measurement>[] = [];
    for (const asked of all) {
      progress(`PostgREST: ${asked.name}`);
      // A token is valid for 15 minutes, and all requests together take about as long.
      sides.us.target.authorizations = await tokens(USERS);
      const one = await measured(db, asked, sides, 1, seconds);
      const many = await measured(db, asked, sides, 16, seconds);
      figures.push(...figuresOf(asked, one, many, visits));
      sessions.push(many);
    }
    const most = (side: "us" | "them") => Math.max(...sessions.map((many) => many[side].sessions));
    return [
      ...figures,
      plain(
        "Postgres sessions with 16 connections: ours / PostgREST",
        `${most("us")} / ${most("them")}`,
        "without the parallel workers of PostgREST's counts and reports; its CPU excludes them, too",
      ),
    ];
  });
};

const measureOn = async (
  binary: string,
  url: string,
  visits: number,
  seconds: number,
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const [ours, theirs] = ["bench_service", "bench_postgrest"];
  const postgrest = await startPostgrest(binary, url, theirs);
  const endpoint = await startProcess(join(import.meta.dirname, "../endpoint.ts"), {
    DATABASE_URL: namedUrl(url, ours),
  });
  try {
    const behind = `postgres://salon_api:local@127.0.0.1:${endpoint.port}${new URL(url).pathname}`;
    prepare(folder, serviceConfig(behind));
    const service = await serve(folder);
    const us: Side = {
      target: { ...service, authorizations: await tokens(USERS) },
      endpointPid: endpoint.child.pid ?? 0,
      application: ours,
    };
    const sides = { us, them: { target: postgrest.target, application: theirs } };
    return await measureEach(url, visits, seconds, sides, progress).finally(() => service.stop());
  } finally {
    await postgrest.stop();
    endpoint.child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Compares the service, in workerd and through the Neon endpoint, with PostgREST on the same tables. If PostgREST is
 * not available for this platform, the result says so.
 * @param urls connection strings by number of visits
 * @param seconds duration of one shot of requests
 */
export const measurePostgrest = async (
  urls: [visits: number, url: string][],
  seconds: number,
  progress: (line: string) => void,
): Promise<[title: string, figures: Figure[]][]> => {
  const postgrest = findPostgrest();
  if ("missing" in postgrest) {
    progress(`PostgREST is skipped: ${postgrest.missing}.`);
    return [["PostgREST", [plain("skipped", "not measured", postgrest.missing)]]];
  }
  const sections: [string, Figure[]][] = [];
  for (const [visits, url] of urls) {
    progress(`${postgrest.version} on ${visits} visits`);
    sections.push([
      `${postgrest.version}, ${visits} visits`,
      await measureOn(postgrest.binary, url, visits, seconds, progress),
    ]);
  }
  return sections;
};
