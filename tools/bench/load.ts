import { cpuSeconds } from "../local/processes.ts";
import { median } from "./figures.ts";
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

/** Fires at several targets in turn and answers the median of each measure. */
export const fireInTurn = async <Name extends string>(
  targets: Record<Name, Target>,
  path: string,
  connections: number,
  rounds = 3,
) => {
  const names = Object.keys(targets) as Name[];
  const shots = new Map(names.map((name) => [name, [] as Shot[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const shot = await fire(targets[name], path, connections, round === 0 ? 2 : 4);
      // The first round warms up.
      if (round > 0) shots.get(name)?.push(shot);
    }
  }
  const typical = (name: Name): Shot => {
    const of = (measure: keyof Shot) => median((shots.get(name) ?? []).map((shot) => shot[measure]));
    return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99"), cpuMs: of("cpuMs") };
  };
  return Object.fromEntries(names.map((name) => [name, typical(name)])) as Record<Name, Shot>;
};
