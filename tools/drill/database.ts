import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { askSteadily, outageChecks, slowestOf } from "./client.ts";
import { type Drill, failedOf, type TestResult, tally } from "./drill.ts";
import type { Fault } from "./fault-proxy.ts";
import type { Service } from "./service.ts";

const PER_SECOND = 50;

type Headers = ReturnType<Service["bearer"]>;

const FAULTS: [string, Fault][] = [
  ["refused", { is: "refused" }],
  ["frozen: accepts, never responds", { is: "frozen" }],
  ["10 s slow", { is: "slow", ms: 10_000 }],
  ["cold start of 3 s", { is: "slow", ms: 3000 }],
  ["HTML", { is: "answer", status: 200, body: "<html>Bad gateway</html>" }],
  ["garbage", { is: "answer", status: 200, body: "\u0000\u0001{]" }],
  ["half a body", { is: "half" }],
  ["500", { is: "answer", status: 500, body: "Internal error" }],
  ["429", { is: "answer", status: 429, body: "Too many connections" }],
  ["507: a result over 64 MB", { is: "answer", status: 507, body: "response is too large" }],
];

const outage = async (
  service: Service,
  headers: Headers,
  name: string,
  fault: Fault,
  seconds: number,
  isTimed: boolean,
): Promise<TestResult> => {
  const { answers, end } = askSteadily(PER_SECOND, () => service.ask("/v1/estabelecimentos", { headers }));
  await wait(2000);
  const arrivedBefore = service.proxy.arrived;
  service.proxy.breakWith(fault);
  await wait(seconds * 1000);
  const duringFault = service.proxy.arrived - arrivedBefore;
  const recoveredAt = performance.now();
  service.proxy.breakWith(undefined);
  await wait(5000);
  await end();
  // The database is up if a result is too large: the service answers 500, and its circuit breaker stays closed.
  const failure = fault.is === "answer" && fault.status === 507 ? 500 : 503;
  const refused = answers.filter(({ status }) => status === failure);
  const recovered = answers
    .filter(({ at, status, ms }) => status === 200 && at + ms > recoveredAt)
    .map(({ at, ms }) => at + ms - recoveredAt);
  const firstGood = Math.min(...recovered);
  const slowest = slowestOf(answers);
  const quick = refused.filter(({ ms }) => ms < 100).length;
  return {
    action: `${name}, for ${seconds} s at ${PER_SECOND} requests/s`,
    outcome: `${tally(answers.map(({ status }) => status))}; ${quick} of the ${failure} within 100 ms; slowest ${slowest.toFixed(1)} s; ${duringFault} statements sent during the fault; first 200 after ${(firstGood / 1000).toFixed(1)} s`,
    failed: failedOf({
      ...outageChecks(answers, failure),
      // A cold start is shorter than a request's deadline.
      "requests fail during the fault": name.startsWith("cold start") || refused.length > 0,
      "every response within 9 s": !isTimed || slowest <= 9,
      "200 within 3 s of recovery": !isTimed || firstGood <= 3000,
      "200 after recovery": Number.isFinite(firstGood),
    }),
  };
};

/** Waits until `count` statements are open, or until `deadline`. @returns how many are open then */
const waitForOpen = async (service: Service, count: number, deadline: number): Promise<number> => {
  while (service.proxy.open !== count && performance.now() < deadline) await wait(50);
  return service.proxy.open;
};

const disconnects = async (service: Service, headers: Headers): Promise<TestResult> => {
  await service.ask("/v1/estabelecimentos", { headers });
  service.proxy.breakWith({ is: "frozen" });
  const disconnectedBefore = service.proxy.disconnected;
  // After 8.5 seconds, the service cancels the statements also without a disconnect.
  const deadline = performance.now() + 7000;
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(Number(service.url.port), "127.0.0.1").on("error", () => undefined);
    const head = `GET /v1/estabelecimentos HTTP/1.1\r\nHost: ${service.url.host}\r\nAuthorization: ${headers.Authorization}`;
    socket.write(`${head}\r\n\r\n`);
    return socket;
  });
  const running = await waitForOpen(service, sockets.length, deadline);
  // Reset, do not half-close: a half-closed connection may still wait for its answer.
  for (const socket of sockets) socket.resetAndDestroy();
  const disconnected = performance.now();
  const stillOpen = await waitForOpen(service, 0, deadline);
  const seconds = ((performance.now() - disconnected) / 1000).toFixed(1);
  service.proxy.breakWith(undefined);
  return {
    action: "20 clients disconnect while their statements run",
    outcome: `${running} statements were running, ${stillOpen} after ${seconds} s; ${service.proxy.disconnected - disconnectedBefore} connections to the endpoint were closed, which cancels their statements`,
    failed: failedOf({
      "all statements were running": running === sockets.length,
      "no statement runs after its client disconnected": stillOpen === 0,
    }),
  };
};

export const database: Drill = {
  name: "database",
  findings:
    "In an outage every request waited until its own deadline. Now a circuit breaker refuses requests at once and probes the database once a second. Every request retried a lost connection, which doubled the load on a failing database. Now retries have a budget. The local runtime cancels a statement if the client resets the connection, but not if it closes one half of it.",
  async *run(service, { short }) {
    // One sign-in, which no fault can refuse.
    const headers = service.bearer(await service.signIn());
    yield await disconnects(service, headers);
    for (const [name, fault] of FAULTS) {
      // The frozen fault must last longer than a request's deadline.
      const seconds = fault.is === "frozen" ? 12 : short ? 3 : name === "refused" ? 30 : 12;
      // The service treats both like HTML: as a lost connection.
      if (short && ["500", "429"].includes(name)) continue;
      // The short run shares the machine with other steps. It reports times but does not check them.
      yield await outage(service, headers, name, fault, seconds, !short);
    }
  },
};
