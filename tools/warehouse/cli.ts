import { parseArgs } from "node:util";
import pg from "pg";
import { DEMO_VISITS, generateWarehouse } from "./generate.ts";
import { migrateWarehouse } from "./migrate.ts";

const USAGE = `Fills an empty warehouse with invented data, on the database that DATABASE_URL names.

  npm run warehouse -- generate [--visits N] [--seed N]

  --visits N   how many salon visits (default ${DEMO_VISITS}); the other tables follow in proportion
  --seed N     another seed gives another warehouse (default 1)`;

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

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        visits: { type: "string", default: String(DEMO_VISITS) },
        seed: { type: "string", default: "1" },
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
if (positionals.join(" ") !== "generate") fail(USAGE, 2);
const url =
  process.env.DATABASE_URL || fail("DATABASE_URL is not set: give the connection string of the database.", 2);
await generate(url, readNumber("visits", values.visits), readNumber("seed", values.seed)).catch(
  (error: Error) => fail(error.message, 1),
);
