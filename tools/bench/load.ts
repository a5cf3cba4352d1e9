import { cpuSeconds } from "../local/processes.ts";
import { get } from "./answers.ts";
import { inTurn, median } from "./figures.ts";
import type { Target } from "./targets.ts";

/** What a while of steady asking came to. */
export interface Shot {
  perSecond: number;
  /** Milliseconds, as autocannon counts them: whole ones. */
  p50: number;
  p99: number;
  /** CPU of the serving process a request. */
  cpuMs: number;
}

/**
 * So many users ask in one shot. Each asks often, as one does that a limit is for, and its counter stays awake: of two
 * hundred each asks so seldom that a shot would mostly measure how counters fall asleep and wake.
 */
const USERS = 16;
const shots = new WeakMap<string[], number>();

/** The users of the next shot: others than in the last, as a counter's log grows with what it has counted. */
const nextUsers = (authorizations: string[]): string[] => {
  const shot = shots.get(authorizations) ?? 0;
  shots.set(authorizations, shot + 1);
  const count = Math.min(USERS, authorizations.length);
  return Array.from(
    { length: count },
    (_, i) => authorizations[(shot * count + i) % authorizations.length] as string,
  );
};

/** A target and the users of its next shot, each of whom has asked twice: it is known by then, and its counter awake. */
export const warmedUp = async (target: Target, path: string): Promise<Target> => {
  const users = nextUsers(target.authorizations);
  for (const authorization of [...users, ...users])
    await get({ ...target, authorizations: [authorization] }, path);
  return { ...target, authorizations: users };
};

/** For how long: seconds, or until so many requests are answered. */
export type Lasting = { duration: number } | { amount: number };

/** Asks one target for one path, again and again. @throws when a request is refused or fails */
export const fire = async (
  target: Target,
  path: string,
  connections: number,
  lasting: Lasting,
): Promise<Shot & { answered: number }> => {
  // Loaded here: where it is not installed, the command line tells so.
  const { default: autocannon } = await import("autocannon");
  const before = cpuSeconds(target.pid);
  const result = await autocannon({
    url: target.url,
    connections,
    ...lasting,
    // It ends a shot at a sample: every second, unless the shot is shorter.
    ...("duration" in lasting && lasting.duration < 1 && { sampleInt: lasting.duration * 1000 }),
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
    // It looks once a second whether an amount is answered: how long that took, the latencies tell.
    perSecond:
      "amount" in lasting ? (connections * 1000) / result.latency.average : answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuMs: ((cpuSeconds(target.pid) - before) / answered) * 1000,
  };
};

/** Fires at several targets in turn and answers the median of each measure. @param seconds that one shot lasts */
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
