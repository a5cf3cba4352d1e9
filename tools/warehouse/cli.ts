import { databaseUrl, fail, readArguments } from "../arguments.ts";
import { connected } from "./databases.ts";
import { drawEpoch, pruneRemovals, verifyFeeds } from "./feeds.ts";
import { DEMO_VISITS, generateWarehouse } from "./generate.ts";
import { migrateWarehouse } from "./migrate.ts";
import { differencesOf, excessOfReaders } from "./reader-role.ts";
import { verifyRollups } from "./verify.ts";

const USAGE = `Works on the database that DATABASE_URL names.

  npm run warehouse -- generate [--visits N] [--seed N]    fills an empty warehouse with invented data
  npm run warehouse -- verify [--repair]                   compares every sum the database keeps with its table, and
                                                           every change feed with its list, and the API's role with the
                                                           rights and settings it should have
  npm run warehouse -- new-epoch                           after a restore to a point in time: whoever follows a change
                                                           feed is told to begin again
  npm run warehouse -- prune --days N                      forgets removals older than N days; a follower who has been
                                                           away for longer is told to begin again

  --visits N   how many salon visits (default ${DEMO_VISITS}); the other tables follow in proportion
  --seed N     another seed gives another warehouse (default 1)
  --repair     counts sums that differ anew, adds up what several writers left side by side and puts the rows in
               order; writes anew what feeds tell wrong, and has their followers begin again. Loaders of that table wait
               meanwhile, readers do not

verify ends with 0 when all is as it should be or was repaired, and with 1 when something is not.`;

const readNumber = (name: string, value: string): number =>
  /^\d{1,9}$/.test(value) ? Number(value) : fail(`--${name} must be a whole number; got "${value}".`);

const generate = async (url: string, visits: number, seed: number): Promise<void> => {
  await migrateWarehouse(url, { progress: console.error });
  await connected(url, async (db) => {
    const { rowCount } = await db.query("select from estabelecimentos limit 1");
    if (rowCount) return fail("The warehouse is not empty: generate fills an empty one only.", 1);
    const started = performance.now();
    await generateWarehouse(db, { visits, seed, progress: console.log });
    console.log(`Done in ${Math.round((performance.now() - started) / 1000)} s.`);
  });
};

const prune = async (url: string, days: number): Promise<void> =>
  pruneRemovals(url, days, (list, forgotten) => console.log(`${list}: ${forgotten} removals forgotten`));

const newEpoch = async (url: string): Promise<void> => {
  await drawEpoch(url);
  console.log("New epochs are drawn: whoever follows a change feed is told to begin again.");
};

const verify = async (url: string, repair: boolean): Promise<void> => {
  const { rows } = await connected(url, (db) =>
    db.query("select to_regclass('rollups') is not null as migrated"),
  );
  if (!rows[0].migrated) return fail("There are no sums: run npm run db:migrate first.", 1);
  const findings = await verifyRollups(url, {
    repair,
    progress: console.error,
    report: ({ rollup, differences, repaired }) =>
      console.log(
        `${rollup}: ${differences === 0 ? "all sums match" : `${differences} sums differ${repaired ? ", counted anew" : ""}`}`,
      ),
  });
  const feeds = await verifyFeeds(url, {
    repair,
    progress: console.error,
    report: ({ list, differences, repaired }) =>
      console.log(
        `${list}_changes: ${differences === 0 ? "tells of every record" : `${differences} records differ${repaired ? ", told anew; its followers begin again" : ""}`}`,
      ),
  });
  const { excess, missing } = await connected(url, async (db) => ({
    excess: await excessOfReaders(db),
    missing: await differencesOf(db),
  }));
  for (const line of excess) console.log(`the API's role: ${line}`);
  for (const statement of missing) console.log(`the API's role needs: ${statement}`);
  if (excess.length + missing.length === 0)
    console.log("the API's role: rights and settings are as they should be");
  const isOff = ({ differences, repaired }: { differences: number; repaired: boolean }) =>
    differences > 0 && !repaired;
  if (findings.some(isOff)) fail("Some sums differ: verify --repair counts them anew.", 1);
  if (feeds.some(isOff)) fail("Some feeds differ from their lists: verify --repair tells them anew.", 1);
  if (excess.length > 0) fail("The API's role may do more than read: take that away.", 1);
  if (missing.length > 0) fail("The API's role is not as it should be: npm run db:migrate mends it.", 1);
};

const { positionals, values } = readArguments(USAGE, {
  allowPositionals: true,
  options: {
    visits: { type: "string", default: String(DEMO_VISITS) },
    seed: { type: "string", default: "1" },
    repair: { type: "boolean", default: false },
    days: { type: "string" },
  },
});
const commands: Record<string, () => Promise<void>> = {
  generate: () =>
    generate(databaseUrl(USAGE), readNumber("visits", values.visits), readNumber("seed", values.seed)),
  verify: () => verify(databaseUrl(USAGE), values.repair),
  "new-epoch": () => newEpoch(databaseUrl(USAGE)),
  prune: () =>
    prune(databaseUrl(USAGE), readNumber("days", values.days ?? fail(`prune needs --days.\n\n${USAGE}`))),
};
const command = commands[positionals.join(" ")] ?? (() => fail(USAGE));
await command().catch((error: Error) => fail(error.message, 1));
