import { cpuSeconds } from "../local/processes.ts";
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

const fire = async (target: Target, path: string, connections: number, seconds: number): Promise<Shot> => {
  // Loaded here: where it is not installed, the command line tells so.
  const { default: autocannon } = await import("autocannon");
  const before = cpuSeconds(target.pid);
  const result = await autocannon({
    url: target.url,
    connections,
    duration: seconds,
    requests: target.authorizations.map((authorization) => ({
      method: "GET" as const,
      path,
      headers: { authorization },
    })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${target.url}${path}: ${result.non2xx} refused, ${result.errors} errors`);
  const answered = result["2xx"];
  return {
    perSecond: answered / result.duration,
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
  const measure = (name: Name) => (round: number) =>
    fire(targets[name], path, connections, round === 0 ? seconds / 2 : seconds);
  const shots = await inTurn(3, byName(names, measure));
  return byName(names, (name): Shot => {
    const of = (measure: keyof Shot) => median(shots[name].map((shot) => shot[measure]));
    return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99"), cpuMs: of("cpuMs") };
  });
};

const byName = <Name extends string, Value>(names: Name[], make: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
