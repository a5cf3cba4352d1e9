import { cpuSeconds } from "../local/processes.ts";
import { get } from "./answers.ts";
import { inTurn, median } from "./figures.ts";
import type { Target } from "./targets.ts";

/** The result of one load run ("shot"). */
export interface Shot {
  perSecond: number;
  /** Whole milliseconds, as autocannon reports them. */
  p50: number;
  p99: number;
  /** CPU time of the server process per request. */
  cpuMs: number;
}

/**
 * Number of users in one shot. With few users, each user's counter stays active. With hundreds, a shot would mostly
 * measure Durable Objects that hibernate and wake.
 */
const USERS = 16;
const shots = new WeakMap<string[], number>();

/** Picks other users for each shot, because a counter's log grows with the requests it has counted. */
const nextUsers = (authorizations: string[]): string[] => {
  const shot = shots.get(authorizations) ?? 0;
  shots.set(authorizations, shot + 1);
  const count = Math.min(USERS, authorizations.length);
  return Array.from(
    { length: count },
    (_, i) => authorizations[(shot * count + i) % authorizations.length] as string,
  );
};

/** Sends two requests per user of the next shot, so that each counter is active and knows its user. */
export const warmedUp = async (target: Target, path: string): Promise<Target> => {
  const users = nextUsers(target.authorizations);
  for (const authorization of [...users, ...users])
    await get({ ...target, authorizations: [authorization] }, path);
  return { ...target, authorizations: users };
};

/** Stop after a duration in seconds or after a number of requests. */
export type ShotLength = { duration: number } | { amount: number };

/** Sends requests for one path continuously. @throws if a request fails or is refused */
export const fire = async (
  target: Target,
  path: string,
  connections: number,
  length: ShotLength,
): Promise<Shot & { answered: number }> => {
  // Imported here, so that the command line can report a missing package.
  const { default: autocannon } = await import("autocannon");
  const before = cpuSeconds(target.pid);
  const result = await autocannon({
    url: target.url,
    connections,
    ...length,
    // autocannon checks the duration once per sample, by default every second. Shorter shots need shorter samples.
    ...("duration" in length && length.duration < 1 && { sampleInt: length.duration * 1000 }),
    timeout: 60,
    requests: target.authorizations.map((authorization) => ({
      method: "GET" as const,
      path,
      headers: { ...target.headers, authorization },
    })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${target.url}${path}: ${result.non2xx} refused, ${result.errors} errors`);
  const answered = result["2xx"];
  return {
    answered,
    // With an amount, autocannon checks for the end only once a second. Compute the rate from the latencies instead.
    perSecond:
      "amount" in length ? (connections * 1000) / result.latency.average : answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuMs: ((cpuSeconds(target.pid) - before) / answered) * 1000,
  };
};

/** Runs several targets in turn and returns the median of each measure. @param seconds duration of one shot */
export const fireInTurn = async <Name extends string>(
  targets: Record<Name, Target>,
  path: string,
  connections: number,
  seconds: number,
) => {
  const names = Object.keys(targets) as Name[];
  const measure = (name: Name) => async (round: number) =>
    fire(await warmedUp(targets[name], path), path, connections, {
      duration: round === 0 ? seconds / 2 : seconds,
    });
  const shots = await inTurn(3, byName(names, measure));
  return byName(names, (name): Shot => {
    const of = (measure: keyof Shot) => median(shots[name].map((shot) => shot[measure]));
    return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99"), cpuMs: of("cpuMs") };
  });
};

const byName = <Name extends string, Value>(names: Name[], make: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
