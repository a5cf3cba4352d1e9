import { databaseUrl, fail, readArguments } from "../arguments.ts";
import { type Figure, section } from "../bench/figures.ts";
import { provenance } from "../results.ts";
import { connected, temporaryDatabase } from "../warehouse/databases.ts";
import { generateWarehouse } from "../warehouse/generate.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import type { Drill } from "./drill.ts";
import { outages } from "./outage.ts";
import { soak } from "./soak.ts";
import { upgrade } from "./upgrade.ts";
import { whole } from "./whole.ts";

/** Shows what only a running service shows over time: outages, an upgrade, a soak and whole lists. */

const DRILLS: Record<string, Drill> = { outages, upgrade, soak, whole };
const USAGE = `Tests the service under faults, on a new database on the server that DATABASE_URL names.

  npm run drill [-- --short] [--minutes N] [--previous COMMIT] [--only drill,drill]

  --short       takes minutes instead of an hour
  --minutes N   duration of the soak (default 30, or 1 with --short)
  --previous C  the commit the upgrade starts from (default: the newest release, or this commit if there is none)
  --only NAME   one or more of ${Object.keys(DRILLS).join(", ")} (default: all)

Prints Markdown. Exits with 1 if a check fails.`;

const { values: options } = readArguments(USAGE, {
  options: {
    short: { type: "boolean", default: false },
    minutes: { type: "string" },
    previous: { type: "string" },
    only: { type: "string", default: Object.keys(DRILLS).join() },
  },
});
const minutes = Number(options.minutes ?? (options.short ? 1 : 30));
if (!(minutes > 0)) fail(`--minutes must be a number above 0; got "${options.minutes}".`);
const names = options.only.split(",");
for (const name of names) if (!(name in DRILLS)) fail(`Unknown drill "${name}".\n\n${USAGE}`);
const server = databaseUrl(USAGE);

const run = async function* (url: string, name: string): AsyncGenerator<Figure> {
  try {
    yield* DRILLS[name]?.(url, { ...options, minutes }) ?? [];
  } catch (error) {
    yield { measure: "ended with an error", value: String(error), isMet: false, detail: "" };
  }
};

/** Said again at the end, because a check keeps only the last lines of a step. */
const failures: string[] = [];
const database = await temporaryDatabase(server, "drill");
try {
  await migrateWarehouse(database.url);
  await connected(database.url, (db) => generateWarehouse(db, { visits: options.short ? 2000 : 20_000 }));
  console.log(`${provenance("drill")}\n`);
  for (const name of names) {
    const figures: Figure[] = [];
    for await (const figure of run(database.url, name)) {
      console.error(`${name}: ${figure.measure}: ${figure.value}`);
      figures.push(figure);
      if (figure.isMet === false)
        failures.push(`${name}: ${figure.measure}: ${figure.value}: ${figure.detail}`);
    }
    console.log(section(name, figures));
  }
} finally {
  await database.close();
}
for (const failure of failures) console.error(failure);
console.error(failures.length === 0 ? "All checks passed." : `${failures.length} checks failed.`);
process.exit(failures.length === 0 ? 0 : 1);
