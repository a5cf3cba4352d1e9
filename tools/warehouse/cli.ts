import { databaseUrl, fail, readArguments } from "../arguments.ts";
import { connected } from "./databases.ts";
import { DEMO_VISITS, generateWarehouse } from "./generate.ts";
import { migrateWarehouse } from "./migrate.ts";
import { verifyRollups } from "./verify.ts";

const USAGE = `Works on the database that DATABASE_URL names.

  npm run warehouse -- generate [--visits N] [--seed N]    fills an empty warehouse with invented data
  npm run warehouse -- verify [--repair]                   compares every sum the database keeps with its table

  --visits N   how many salon visits (default ${DEMO_VISITS}); the other tables follow in proportion
  --seed N     another seed gives another warehouse (default 1)
  --repair     counts sums that differ anew; loaders of that table wait meanwhile

verify ends with 0 when all sums match or were repaired, and with 1 when some differ.`;

const readNumber = (name: string, value: string): number =>
  /^\d{1,9}$/.test(value) ? Number(value) : fail(`--${name} must be a whole number; got "${value}".`);

const generate = async (url: string, visits: number, seed: number): Promise<void> => {
  await migrateWarehouse(url);
  await connected(url, async (db) => {
    const { rowCount } = await db.query("select from estabelecimentos limit 1");
    if (rowCount) return fail("The warehouse is not empty: generate fills an empty one only.", 1);
    const started = performance.now();
    await generateWarehouse(db, { visits, seed, progress: console.log });
    console.log(`Done in ${Math.round((performance.now() - started) / 1000)} s.`);
  });
};

const verify = async (url: string, repair: boolean): Promise<void> => {
  const findings = await verifyRollups(url, {
    repair,
    report: ({ rollup, differences, repaired }) =>
      console.log(
        `${rollup}: ${differences === 0 ? "all sums match" : `${differences} sums differ${repaired ? ", counted anew" : ""}`}`,
      ),
  });
  if (findings.length === 0) fail("There are no sums: run npm run db:migrate first.", 1);
  if (findings.some(({ differences, repaired }) => differences > 0 && !repaired))
    fail("Some sums differ: verify --repair counts them anew.", 1);
};

const { positionals, values } = readArguments(USAGE, {
  allowPositionals: true,
  options: {
    visits: { type: "string", default: String(DEMO_VISITS) },
    seed: { type: "string", default: "1" },
    repair: { type: "boolean", default: false },
  },
});
const commands: Record<string, () => Promise<void>> = {
  generate: () =>
    generate(databaseUrl(USAGE), readNumber("visits", values.visits), readNumber("seed", values.seed)),
  verify: () => verify(databaseUrl(USAGE), values.repair),
};
const command = commands[positionals.join(" ")] ?? (() => fail(USAGE));
await command().catch((error: Error) => fail(error.message, 1));
