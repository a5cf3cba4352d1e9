import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { checked, type Figure } from "../bench/figures.ts";
import { startService } from "../bench/service.ts";
import { tokens } from "../local/tokens.ts";
import { askSteadily, type Drill, tally } from "./drill.ts";
import { type Fault, startFaultProxy } from "./fault-proxy.ts";

/**
 * Shows in real time, under load, what a client sees of a database that fails (E2), and that a reader who hangs up
 * cancels its statement. What each kind of failure is answered with is in test/faults.
 */

const PER_SECOND = 50;
const PATH = "/v1/estabelecimentos";
/** In the service, a statement runs for at most 7.5 seconds. */
const FAULTS: [name: string, fault: Fault, seconds: number][] = [
  ["refused", "refused", 30],
  ["frozen: accepts, never responds", "frozen", 12],
  ["cold start of 3 s", 3000, 12],
];

type Proxy = Awaited<ReturnType<typeof startFaultProxy>>;

const outage = async (
  url: string,
  proxy: Proxy,
  Authorization: string,
  [name, fault, seconds]: (typeof FAULTS)[number],
  isTimed: boolean,
): Promise<Figure> => {
  const { answers, end } = askSteadily(PER_SECOND, () => [url + PATH, Authorization]);
  await wait(2000);
  const arrivedBefore = proxy.counts.arrived;
  proxy.breakWith(fault);
  await wait(seconds * 1000);
  const sent = proxy.counts.arrived - arrivedBefore;
  const recoveredAt = performance.now();
  proxy.breakWith(undefined);
  await wait(5000);
  await end();
  const refused = answers.filter(({ status }) => status === 503);
  const recovered = answers
    .filter(({ at, status, ms }) => status === 200 && at + ms > recoveredAt)
    .map(({ at, ms }) => at + ms - recoveredAt);
  const firstGood = Math.min(...recovered) / 1000;
  const slowest = Math.max(...answers.map(({ ms }) => ms)) / 1000;
  const quick = refused.filter(({ ms }) => ms < 100).length;
  return checked(
    `database ${name}, for ${seconds} s at ${PER_SECOND} requests/s`,
    {
      "only 200 and 503": answers.every(({ status }) => status === 200 || status === 503),
      "Retry-After on every 503": refused.every(({ retryAfter }) => retryAfter > 0),
      // A cold start is shorter than a request's deadline.
      "requests fail during the fault": typeof fault === "number" || refused.length > 0,
      "every response within 9 s": !isTimed || slowest <= 9,
      "200 within 3 s of recovery": !isTimed || firstGood <= 3,
      "200 after recovery": Number.isFinite(firstGood),
    },
    `${tally(answers.map(({ status }) => status))}; ${quick} of the 503 within 100 ms; slowest ${slowest.toFixed(1)} s; ${sent} statements sent during the fault; first 200 after ${firstGood.toFixed(1)} s`,
  );
};

/** Waits until `count` statements are open, or until `deadline`. @returns how many are open then */
const waitForOpen = async ({ counts }: Proxy, count: number, deadline: number): Promise<number> => {
  while (counts.open !== count && performance.now() < deadline) await wait(50);
  return counts.open;
};

const disconnects = async (url: string, proxy: Proxy, Authorization: string): Promise<Figure> => {
  await fetch(url + PATH, { headers: { Authorization } });
  proxy.breakWith("frozen");
  // After 7.5 seconds, the service cancels the statements also without a disconnect.
  const deadline = performance.now() + 6500;
  const { host, port } = new URL(url);
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${Authorization}\r\n\r\n`);
    return socket;
  });
  const running = await waitForOpen(proxy, sockets.length, deadline);
  // Reset, do not half-close: a half-closed connection may still wait for its answer.
  for (const socket of sockets) socket.resetAndDestroy();
  const stillOpen = await waitForOpen(proxy, 0, deadline);
  proxy.breakWith(undefined);
  return checked(
    "20 clients disconnect while their statements run",
    {
      "all statements were running": running === sockets.length,
      "no statement runs after its client disconnected": stillOpen === 0,
    },
    `${running} statements were running, then ${stillOpen}`,
  );
};

export const outages: Drill = async function* (databaseUrl, { short }) {
  let proxy: Proxy | undefined;
  const through = async (port: number) => {
    proxy = await startFaultProxy(port);
    return proxy.port;
  };
  const service = await startService(databaseUrl, { through });
  try {
    if (proxy === undefined) throw new Error("the service has no proxy");
    const [Authorization = ""] = await tokens(1);
    yield await disconnects(service.url, proxy, Authorization);
    for (const [name, fault, seconds] of FAULTS) {
      // The frozen fault must last longer than a request's deadline.
      const shorter = short && fault !== "frozen" ? 3 : seconds;
      // The short run shares the machine with other steps. It reports times but does not check them.
      yield await outage(service.url, proxy, Authorization, [name, fault, shorter], !short);
    }
  } finally {
    await service.stop();
    await proxy?.close();
  }
};
