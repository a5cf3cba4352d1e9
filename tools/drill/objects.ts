import { join } from "node:path";
import { type Faults, KV_FAULTS, OBJECT_FAULTS } from "./broken-objects/faults.ts";
import { type Answer, type Client, outagePromises, remaining, slowestOf, type Tokens } from "./client.ts";
import { brokenOf, type Drill, type Line, tally } from "./drill.ts";
import { type Service, serve } from "./service.ts";

const READS = 20;

/** Starts the service with Durable Objects and KV that fail on demand. */
const startBroken = async ({ folder, databaseUrl, kept }: Service) => {
  const { client, url, stop } = await serve(join(folder, "objects"), { DATABASE_URL: databaseUrl }, kept, [
    "tools/drill/broken-objects/index.ts",
  ]);
  return {
    client,
    breakWith: async (faults: Faults) => {
      await fetch(new URL("/faults", url), { method: "PUT", body: JSON.stringify(faults) });
    },
    stop,
  };
};

/** Renews and signs out the sessions after the fault is removed, and returns their state. */
const settle = async (client: Client, during: { refreshed: Answer; loggedOut: Answer }, old: Before) => {
  const { refreshed, loggedOut } = during;
  const renewed = await client.renew(refreshed.status === 200 ? client.tokensIn(refreshed) : old.renewing);
  if (loggedOut.status !== 200) await client.logout(old.leaving);
  return { renewed, gone: await client.renew(old.leaving) };
};

/** The sessions of one fault, by what the drill does with them. */
interface Before {
  reading: Tokens;
  renewing: Tokens;
  leaving: Tokens;
}

/** Reads, logins, a refresh and a logout during a fault, and the state afterwards. */
const underFault = async (
  { client, breakWith }: Awaited<ReturnType<typeof startBroken>>,
  faults: Faults,
): Promise<Line> => {
  const [[binding = "", fault = ""] = []] = Object.entries(faults);
  const sessions: Before = {
    reading: await client.signIn(),
    renewing: await client.signIn(),
    leaving: await client.signIn(),
  };
  const headers = client.bearer(sessions.reading);
  const read = () => client.ask("/v1/estabelecimentos", { headers });
  const before = remaining(await read());
  await breakWith(faults);
  const [refreshed, loggedOut, ...others] = await Promise.all([
    client.renew(sessions.renewing),
    client.logout(sessions.leaving),
    ...Array.from({ length: READS }, read),
    ...Array.from({ length: 3 }, client.login),
  ]);
  await breakWith({});
  const mended = await read();
  // Counts the reads, the logout and the first read afterwards.
  const counted = before - remaining(mended);
  const { renewed, gone } = await settle(client, { refreshed, loggedOut }, sessions);
  const answers = [refreshed, loggedOut, ...others];
  const unanswered = refreshed.status === 503;
  const isKv = binding === "HINTS";
  return {
    did: `${binding} ${fault}: ${READS} reads, 3 logins, a refresh and a logout`,
    counted: `${tally(answers.map(({ status }) => status))}; slowest ${slowestOf(answers).toFixed(1)} s; ${counted} requests counted of ${READS + 2}; refresh ${refreshed.status}, afterwards ${renewed.status}; logout ${loggedOut.status}, its token afterwards ${gone.status}`,
    broken: brokenOf({
      ...outagePromises(answers),
      "an answer within 9 s": slowestOf(answers) <= 9,
      "200 again": mended.status === 200,
      "no request counts twice": counted <= READS + 2,
      // The service does not retry a password check, so that a password is hashed only once.
      "a call whose reply was lost is repeated and counts once":
        fault !== "reply lost once" ||
        (counted === READS + 2 && (binding === "LOGINS" || answers.every(({ status }) => status === 200))),
      "KV costs no answer": !isKv || answers.every(({ status }) => status === 200),
      "a renewed session lives": unanswered || renewed.status === 200,
      "a refresh that failed before its commit spends no token":
        !(unanswered && ["erroring", "overloaded"].includes(fault)) || renewed.status === 200,
      "a token works or is refused": renewed.status === 200 || renewed.status === 401,
      "after a logout nothing is alive": gone.status === 401,
    }),
  };
};

export const objects: Drill = {
  name: "objects",
  found:
    "Nothing to mend. A refresh whose every reply is lost after its commit answers 503 and has spent its token, as it must: the reader signs in again.",
  async *run(service) {
    const broken = await startBroken(service);
    try {
      for (const binding of ["COUNTERS", "SESSIONS", "LOGINS"] as const) {
        for (const fault of OBJECT_FAULTS) yield await underFault(broken, { [binding]: fault });
      }
      for (const fault of KV_FAULTS) yield await underFault(broken, { HINTS: fault });
    } finally {
      await broken.stop();
    }
  },
};
