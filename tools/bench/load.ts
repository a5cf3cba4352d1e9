import { cpuSeconds } from "../local/processes.ts";
import { elapsed, inTurn, median } from "./figures.ts";
import { answerOf, type Target } from "./service.ts";

/** How the bench sends load, and counts the CPU that it takes. */

/** A target and the path to ask it for. */
export interface Side {
  target: Target;
  path: string;
  /** Other processes whose CPU the requests take, by name. */
  others?: Record<string, () => Promise<number[]>>;
}

/** The result of one load run ("shot"). */
export interface Shot {
  perSecond: number;
  /** Whole milliseconds, as autocannon reports them. */
  p50: number;
  p99: number;
  /** CPU time per request of the server, in ms. */
  server: number;
  /** The same of the other processes. */
  others: Record<string, number>;
}

/** Starts to count the CPU of processes. @returns the seconds used since then, also by processes started since */
export const startCpu = async (pids: () => Promise<number[]>): Promise<() => Promise<number>> => {
  const read = async () => {
    const used = new Map<number, number>();
    for (const pid of await pids()) {
      try {
        used.set(pid, cpuSeconds(pid));
      } catch {
        // The process has ended since.
      }
    }
    return used;
  };
  const before = await read();
  return async () => {
    let seconds = 0;
    for (const [pid, cpu] of await read()) seconds += cpu - (before.get(pid) ?? 0);
    return seconds;
  };
};

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
const warmedUp = async (target: Target, path: string): Promise<Target> => {
  const users = nextUsers(target.authorizations);
  for (const authorization of [...users, ...users])
    await answerOf({ ...target, authorizations: [authorization] }, path);
  return { ...target, authorizations: users };
};

/** Slow requests run a fixed number (two per connection) instead of a fixed time, so that each counts fully. */
const lengthFor = async (target: Target, path: string, connections: number, seconds: number) => {
  const one = await elapsed(() => answerOf(target, path));
  const isSlow = one * connections * 4 > seconds * 1000;
  // autocannon checks for the end once per sample, by default every second. Shorter shots need shorter samples.
  const sample = seconds < 1 ? { sampleInt: seconds * 1000 } : {};
  return { ...(isSlow ? { amount: Math.max(4, 2 * connections) } : { duration: seconds }), ...sample };
};

/** Sends requests for one path continuously. @throws if a request fails or is refused */
const fire = async (side: Side, connections: number, seconds: number): Promise<Shot> => {
  // Imported here, so that the command line can report a missing package.
  const { default: autocannon } = await import("autocannon");
  const { path } = side;
  const target = await warmedUp(side.target, path);
  const length = await lengthFor(target, path, connections, seconds);
  const meters = Object.entries({ server: async () => [target.pid], ...side.others });
  const started = await Promise.all(
    meters.map(async ([name, pids]) => [name, await startCpu(pids)] as const),
  );
  const result = await autocannon({
    url: target.url,
    connections,
    ...length,
    timeout: 60,
    requests: target.authorizations.map((authorization) => ({
      method: "GET" as const,
      path,
      headers: { ...target.headers, authorization },
    })),
  });
  if (result.non2xx > 0 || result.errors > 0) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(`${target.url}${path}: ${result.errors} errors, and the statuses ${statuses}`);
  }
  const answered = result["2xx"];
  const used = await Promise.all(
    started.map(async ([name, seconds]) => [name, ((await seconds()) / answered) * 1000] as const),
  );
  const { server = 0, ...others } = Object.fromEntries(used);
  return {
    // With an amount, autocannon sees the end only after a sample. Compute the rate from the latencies instead.
    perSecond:
      "amount" in length ? (connections * 1000) / result.latency.average : answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    server,
    others,
  };
};

const medians = (shots: Shot[]): Shot => {
  const of = (read: (shot: Shot) => number) => median(shots.map(read));
  const names = Object.keys(shots[0]?.others ?? {});
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    server: of(({ server }) => server),
    others: Object.fromEntries(names.map((name) => [name, of(({ others }) => others[name] ?? 0)])),
  };
};

/**
 * Asks ours and the peer in turn, and returns the median of each measure.
 * @param seconds duration of one shot; below 1 there is one shot, which shows only that the bench works
 */
export const fireInTurn = async (us: Side, them: Side, connections: number, seconds: number) => {
  const secondsOf = (round: number) => (round === 0 ? seconds / 2 : seconds);
  const shots = await inTurn(seconds < 1 ? 1 : 3, {
    us: (round) => fire(us, connections, secondsOf(round)),
    them: (round) => fire(them, connections, secondsOf(round)),
  });
  return { us: medians(shots.us), them: medians(shots.them) };
};
