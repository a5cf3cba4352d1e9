import { parseArgs } from "node:util";
import pg from "pg";
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

/** Tells one line and ends; 2 is a wrong call, 1 a failure. */
const fail = (message: string, code: 1 | 2): never => {
  console.error(message);
  process.exit(code);
};

const readNumber = (name: string, value: string): number =>
  /^\d{1,9}$/.test(value) ? Number(value) : fail(`--${name} must be a whole number; got "${value}".`, 2);

const generate = async (url: string, visits: number, seed: number): Promise<void> => {
  await migrateWarehouse(url);
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    const { rowCount } = await db.query("select from estabelecimentos limit 1");
    if (rowCount) return fail("The warehouse is not empty: generate fills an empty one only.", 1);
    const started = performance.now();
    await generateWarehouse(db, { visits, seed, progress: console.log });
    console.log(`Done in ${Math.round((performance.now() - started) / 1000)} s.`);
  } finally {
    await db.end();
  }
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

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        visits: { type: "string", default: String(DEMO_VISITS) },
        seed: { type: "string", default: "1" },
        repair: { type: "boolean", default: false },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${USAGE}`, 2);
  }
};

const { positionals, values } = read();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const url = () =>
  process.env.DATABASE_URL || fail("DATABASE_URL is not set: give the connection string of the database.", 2);
const commands: Record<string, () => Promise<void>> = {
  generate: () => generate(url(), readNumber("visits", values.visits), readNumber("seed", values.seed)),
  verify: () => verify(url(), values.repair),
};
const command = commands[positionals.join(" ")] ?? (() => fail(USAGE, 2));
await command().catch((error: Error) => fail(error.message, 1));
