import { setTimeout as wait } from "node:timers/promises";
import { checked, type Figure } from "../bench/figures.ts";
import { fillLedger } from "../bench/ledger.ts";
import { answerOf, startService } from "../bench/service.ts";
import { openStream, readStream } from "../bench/streams.ts";
import { residentMiB } from "../local/processes.ts";
import { tokens } from "../local/tokens.ts";
import { quantile } from "../results.ts";
import { connected } from "../warehouse/databases.ts";
import { askSteadily, type Drill } from "./drill.ts";

/** Shows what whole lists take (X2): memory of workerd, and time of the pages that others ask for meanwhile. */

const PATH = "/v1/lancamentos?tudo=true";
const PAGE = "/v1/transacoes?per_page=50";
const PAGES_PER_SECOND = 10;
const WARM_UP_PAGES = 200;
const AT_ONCE = 3;
const SLOW_BYTES_PER_SECOND = 50_000;

type Checks = Record<string, boolean>;
type Service = Awaited<ReturnType<typeof startService>>;

/** Runs work, and reads the memory of workerd ten times a second. @returns the highest, in MiB */
const memoryOf = async ({ pid }: Service, work: () => Promise<unknown>): Promise<number> => {
  let highest = residentMiB(pid);
  const timer = setInterval(() => {
    highest = Math.max(highest, residentMiB(pid));
  }, 100);
  await work().finally(() => clearInterval(timer));
  return highest;
};

/** Runs work while others ask for pages. @returns their 95th percentile in ms, and whether all were answered */
const pagesDuring = async ({ url }: Service, users: string[], work: () => Promise<unknown>) => {
  const { answers, end } = askSteadily(PAGES_PER_SECOND, (n) => [url + PAGE, users[n % users.length] ?? ""]);
  await work().finally(end);
  const times = answers.map(({ ms }) => ms);
  return { p95: quantile(times, 0.95), areServed: answers.every(({ status }) => status === 200) };
};

interface Work {
  name: string;
  /** How much workerd may grow. */
  maxMiB: number;
  work: () => Promise<Checks>;
}

/** @param open asks for a whole list */
type WorkOf = (open: () => ReturnType<typeof openStream>) => Work;

/** @param seconds how long a slow reader reads */
const worksOf = (records: number, seconds: number): WorkOf[] => [
  (open) => ({
    name: `a whole list at ${SLOW_BYTES_PER_SECOND / 1000} KB/s, for ${seconds} s`,
    maxMiB: 40,
    work: async () => {
      const read = await readStream(await open(), { bytesPerSecond: SLOW_BYTES_PER_SECOND, seconds });
      return { "some records": read > 0 };
    },
  }),
  (open) => ({
    name: `a whole list of ${records} records`,
    maxMiB: 40,
    work: async () => ({ "every record": (await readStream(await open())) === records }),
  }),
  (open) => ({
    name: `${AT_ONCE} whole lists at once, and one more`,
    maxMiB: 120,
    work: async () => {
      const streams = await Promise.all(Array.from({ length: AT_ONCE }, open));
      const { statusCode, headers } = (await open()).resume();
      const read = await Promise.all(streams.map((stream) => readStream(stream)));
      return {
        "every record": read.every((one) => one === records),
        "503 with Retry-After for the last": statusCode === 503 && headers["retry-after"] !== undefined,
      };
    },
  }),
];

/** Each on a new workerd, without pages for the memory: V8 keeps the garbage of pages for long, too. */
const drillOne = async (databaseUrl: string, short: boolean, workOf: WorkOf): Promise<Figure> => {
  const service = await startService(databaseUrl);
  const [reader = "", ...users] = await tokens(30);
  const { name, maxMiB, work } = workOf(() => openStream(service.url + PATH, reader));
  try {
    for (let page = 0; page < WARM_UP_PAGES; page += 1)
      await answerOf({ ...service, authorizations: [users[page % users.length] ?? ""] }, PAGE);
    const level = residentMiB(service.pid);
    let checks: Checks = {};
    const growth =
      (await memoryOf(service, async () => {
        checks = await work();
      })) - level;
    const calm = await pagesDuring(service, users, () => wait(short ? 2000 : 15_000));
    const { p95, areServed } = await pagesDuring(service, users, work);
    return checked(
      name,
      {
        ...checks,
        "others get their pages": areServed,
        // The short run shares the machine with other steps. It reports these figures but does not check them.
        [`workerd grows by at most ${maxMiB} MiB`]: short || growth <= maxMiB,
        "the p95 of a page is at most doubled": short || p95 <= 2 * calm.p95,
      },
      `${growth.toFixed(0)} MiB above ${level.toFixed(0)}; p95 of a page with it ${p95.toFixed(0)} ms, without ${calm.p95.toFixed(0)} ms`,
    );
  } finally {
    await service.stop();
  }
};

export const whole: Drill = async function* (databaseUrl, { short }) {
  const records = short ? 20_000 : 200_000;
  await connected(databaseUrl, (db) => fillLedger(db, records));
  for (const workOf of worksOf(records, short ? 2 : 30)) yield await drillOne(databaseUrl, short, workOf);
};
