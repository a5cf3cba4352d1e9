import { join } from "node:path";
import { quantile } from "../results.ts";
import { type Faults, KV_FAULTS, OBJECT_FAULTS } from "./broken-objects/faults.ts";
import { type Answer, type Client, outageChecks, remaining, slowestOf, type Tokens } from "./client.ts";
import { type Drill, failedOf, type TestResult, tally } from "./drill.ts";
import { type Service, serve } from "./service.ts";

const READS = 20;
/** Requests that count for the user: two rounds of reads, the renewal, the logout, a read afterwards and a probe (E3). */
const REQUESTS = 2 * READS + 4;
/** How long an isolate counts alone after a failed call (E11), and a little more. */
const ALONE_MS = 5500;
/** How much longer a read may take without counters than with them (E11). */
const SLACK_MS = 50;

const medianOf = (answers: Answer[]): number =>
  quantile(
    answers.map(({ ms }) => ms),
    0.5,
  );

/** Starts the service with Durable Objects and KV that fail on demand. */
const startBroken = async ({ folder, databaseUrl, captured }: Service) => {
  const bindings = { DATABASE_URL: databaseUrl };
  const { client, url, stop } = await serve(join(folder, "objects"), bindings, captured, [
    "tools/drill/broken-objects/index.ts",
  ]);
  return {
    client,
    breakWith: async (faults: Faults) => {
      const body = JSON.stringify(faults);
      const { status } = await fetch(new URL("/faults", url), { method: "PUT", body });
      if (status !== 204) throw new Error(`The fault could not be set: ${status}.`);
    },
    stop,
  };
};

/** Renews and signs out the sessions after the fault is removed, and returns their state. */
const settle = async (
  client: Client,
  during: { refreshed: Answer; loggedOut: Answer },
  sessions: FaultSessions,
) => {
  const { refreshed, loggedOut } = during;
  const renewed = await client.renew(
    refreshed.status === 200 ? client.tokensIn(refreshed) : sessions.renewing,
  );
  if (loggedOut.status !== 200) await client.logout(sessions.leaving);
  return { renewed, afterLogout: await client.renew(sessions.leaving) };
};

/** The sessions of one fault, by what the drill does with them. */
interface FaultSessions {
  reading: Tokens;
  renewing: Tokens;
  leaving: Tokens;
}

/** Reads, logins, a refresh and a logout during a fault, and the state afterwards. */
const underFault = async (
  { client, breakWith }: Awaited<ReturnType<typeof startBroken>>,
  faults: Faults,
  isTimed: boolean,
): Promise<TestResult> => {
  const [[binding = "", fault = ""] = []] = Object.entries(faults);
  const sessions: FaultSessions = {
    reading: await client.signIn(),
    renewing: await client.signIn(),
    leaving: await client.signIn(),
  };
  const headers = client.bearer(sessions.reading);
  const read = () => client.ask("/v1/estabelecimentos", { headers });
  const readAll = () => Promise.all(Array.from({ length: READS }, read));
  /** A 404 waits for its count, so its `RateLimit` is known (E11). */
  const probe = async () => remaining(await client.ask("/v1/nothing", { headers }));
  const healthy = await readAll();
  const before = await probe();
  await breakWith(faults);
  const [refreshed, loggedOut, first, ...logins] = await Promise.all([
    client.renew(sessions.renewing),
    client.logout(sessions.leaving),
    readAll(),
    ...Array.from({ length: 3 }, client.login),
  ]);
  const second = await readAll();
  await breakWith({});
  if (binding === "COUNTERS") await new Promise((resolve) => setTimeout(resolve, ALONE_MS));
  const afterwards = await read();
  const counted = before - (await probe());
  const { renewed, afterLogout } = await settle(client, { refreshed, loggedOut }, sessions);
  const answers = [refreshed, loggedOut, ...first, ...second, ...logins];
  const hasRefreshFailed = refreshed.status === 503;
  const isKv = binding === "HINTS";
  return {
    action: `${binding} ${fault}: twice ${READS} reads, 3 logins, a refresh and a logout`,
    outcome: `${tally(answers.map(({ status }) => status))}; slowest ${slowestOf(answers).toFixed(1)} s; ${counted} of ${REQUESTS} requests counted; refresh ${refreshed.status}, afterwards ${renewed.status}; logout ${loggedOut.status}, its token afterwards ${afterLogout.status}`,
    failed: failedOf({
      ...outageChecks(answers),
      "every response within 9 s": !isTimed || slowestOf(answers) <= 9,
      "every read is a 200": [...first, ...second].every(({ status }) => status === 200),
      "reads take no longer once the fault is known":
        !isTimed || medianOf(second) <= medianOf(healthy) + SLACK_MS,
      "every read counts": counted >= 2 * READS + 2,
      "200 after recovery": afterwards.status === 200,
      "no request counts twice": counted <= REQUESTS,
      // The service does not retry a password check, so that a password is hashed only once.
      "a call whose reply is lost is retried and counts once":
        fault !== "reply lost once" ||
        (counted === REQUESTS && (binding === "LOGINS" || answers.every(({ status }) => status === 200))),
      "a fault of KV fails no request": !isKv || answers.every(({ status }) => status === 200),
      "a renewed session works": hasRefreshFailed || renewed.status === 200,
      "a refresh that fails before its commit does not use up the token":
        !(hasRefreshFailed && ["erroring", "overloaded"].includes(fault)) || renewed.status === 200,
      "a renewal is a 200 or a 401": renewed.status === 200 || renewed.status === 401,
      "after a logout the refresh token is refused": afterLogout.status === 401,
    }),
  };
};

export const objects: Drill = {
  name: "objects",
  findings:
    "No defects. If every reply to a refresh is lost after its commit, the service returns 503 although the token is used up. That cannot be avoided: the user signs in again.",
  async *run(service, { short }) {
    const broken = await startBroken(service);
    // The short run shares the machine with other steps. It reports times but does not check them.
    try {
      for (const binding of ["COUNTERS", "SESSIONS", "LOGINS"] as const) {
        for (const fault of OBJECT_FAULTS) yield await underFault(broken, { [binding]: fault }, !short);
      }
      for (const fault of KV_FAULTS) yield await underFault(broken, { HINTS: fault }, !short);
    } finally {
      await broken.stop();
    }
  },
};
