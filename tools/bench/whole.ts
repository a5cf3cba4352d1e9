import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { tokens } from "../local/tokens.ts";
import { connected, temporaryDatabase } from "../warehouse/databases.ts";
import { startDelayProxy } from "./delay-proxy.ts";
import { atLeast, elapsed, type Figure, inTurn, median, plain } from "./figures.ts";
import { fillLedger } from "./ledger.ts";
import { answerOf, startService, type Target } from "./service.ts";
import { openStream, readStream } from "./streams.ts";

/** Shows how fast a whole list is read (X2) beside a loop of pages, and beside `psql \copy` of the same rows. */

const RECORDS = 200_000;
const PAGE = 200;
/** A loop of all pages would only take longer. */
const PAGES = 100;
/** The same with a network between client and service: the added round trip, and fewer pages. */
const ROUND_TRIP_MS = 100;
const FAR_PAGES = 20;

const FIVE = ["id", "salon_id", "estabelecimento_id", "synced_at", "sent_to_salon"];
const ALL = [...FIVE.slice(0, 3), "raw_data", ...FIVE.slice(3), "sent_at"];

/** What is read, and the fewest records per second of a stream. */
const READINGS = [
  { name: "five fields", fields: FIVE, bar: 20_000 },
  { name: "all fields, with raw_data", fields: ALL, bar: 8_000 },
];

/** Runs work on some records. @returns records per second */
const rateOf = async (read: () => Promise<number>): Promise<number> => {
  let records = 0;
  const ms = await elapsed(async () => {
    records = await read();
  });
  return (records * 1000) / ms;
};

const pathOf = (fields: string[], more: string) => `/v1/lancamentos?campos=${fields}&${more}`;

const readPages = async (target: Target, fields: string[], count: number): Promise<number> => {
  let after = "0";
  for (let page = 0; page < count; page += 1) {
    const { body } = await answerOf(target, pathOf(fields, `per_page=${PAGE}&after_id=${after}`));
    after = /"next_after_id":(\d+)/.exec(body.slice(-100))?.[1] ?? after;
  }
  return count * PAGE;
};

const readWhole = async ({ url, authorizations: [token = ""] }: Target, fields: string[]): Promise<number> =>
  readStream(await openStream(url + pathOf(fields, "tudo=true"), token));

/** @returns the number of rows, from `COPY 200000` */
const copy = async (databaseUrl: string, fields: string[]): Promise<number> => {
  const rows = `select row_to_json(r) from (select ${fields} from lancamentos order by id) as r`;
  const { stdout } = await promisify(execFile)("psql", [
    databaseUrl,
    "-c",
    `\\copy (${rows}) to '/dev/null'`,
  ]);
  return Number(/\d+/.exec(stdout)?.[0]);
};

/** @throws if the first records of a stream are not those of the first page, or if a record is missing */
const assertSame = async (target: Target, databaseUrl: string, fields: string[]): Promise<void> => {
  const { body: page } = await answerOf(target, pathOf(fields, `per_page=${PAGE}&after_id=0`));
  const { body: whole } = await answerOf(target, pathOf(fields, "tudo=true"));
  const lines = whole.trimEnd().split("\n");
  if (!page.startsWith(`{"data":[${lines.slice(0, PAGE)}]`))
    throw new Error("a page has other records than the whole list");
  const rows = await copy(databaseUrl, fields);
  if (lines.length !== rows) throw new Error(`a whole list has ${lines.length} of ${rows} records`);
};

const compareNear = async (
  target: Target,
  databaseUrl: string,
  { name, fields, bar }: (typeof READINGS)[number],
): Promise<Figure[]> => {
  await assertSame(target, databaseUrl, fields);
  const taken = await inTurn(3, {
    whole: () => rateOf(() => readWhole(target, fields)),
    pages: () => rateOf(() => readPages(target, fields, PAGES)),
    copied: () => rateOf(() => copy(databaseUrl, fields)),
  });
  const [whole, pages, copied] = [median(taken.whole), median(taken.pages), median(taken.copied)];
  const rates = (other: number) => `${whole.toFixed(0)}/s / ${other.toFixed(0)}/s`;
  return [
    atLeast(`whole list, ${name}: records per second`, whole, bar, taken.whole.map(Math.round).join(", ")),
    atLeast(`whole list, ${name} / psql \\copy of row_to_json`, whole / copied, 0.25, rates(copied)),
    atLeast(`whole list, ${name} / pages of ${PAGE} by cursor`, whole / pages, 4, rates(pages)),
  ];
};

const compareFar = async (target: Target, { name, fields }: (typeof READINGS)[number]): Promise<Figure> => {
  const { port } = new URL(target.url);
  const proxy = await startDelayProxy(Number(port), ROUND_TRIP_MS);
  const far = { ...target, url: proxy.url };
  const whole = await rateOf(() => readWhole(far, fields));
  const pages = await rateOf(() => readPages(far, fields, FAR_PAGES));
  proxy.close();
  return plain(
    `the same with ${ROUND_TRIP_MS} ms between client and service, ${name} / pages of ${PAGE} by cursor`,
    (whole / pages).toFixed(2),
    `${whole.toFixed(0)}/s / ${pages.toFixed(0)}/s`,
  );
};

/** @param template connection string of a filled warehouse of the server, which is copied */
export const measureWhole = async (
  server: string,
  template: string,
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const database = await temporaryDatabase(server, "bench_whole", new URL(template).pathname.slice(1));
  progress(`Whole lists: filling ${RECORDS} ledger entries`);
  await connected(database.url, (db) => fillLedger(db, RECORDS));
  const service = await startService(database.url);
  const figures: Figure[] = [];
  try {
    const target = { ...service, authorizations: await tokens(1) };
    for (const reading of READINGS) {
      progress(`Whole lists: ${reading.name}`);
      figures.push(...(await compareNear(target, database.url, reading)), await compareFar(target, reading));
    }
    return figures;
  } finally {
    await service.stop();
    await database.close();
  }
};
