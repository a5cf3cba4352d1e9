import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { databaseUrl, ensureInstalled, fail, readArguments } from "../arguments.ts";
import { provenance } from "../results.ts";
import { clients } from "./clients.ts";
import { database } from "./database.ts";
import type { Drill, Line } from "./drill.ts";
import { fuzz } from "./fuzz.ts";
import { objects } from "./objects.ts";
import { privacy } from "./privacy.ts";
import { type Service, startService } from "./service.ts";
import { soak } from "./soak.ts";
import { upgrade } from "./upgrade.ts";

const RESULTS = join(import.meta.dirname, "RESULTS.md");
// `privacy` reads the logs and storage of all other drills, so it runs last.
const DRILLS = [database, objects, clients, fuzz, upgrade, soak, privacy];
const USAGE = `Runs the service against the world's bad days, on a database of its own on the server of DATABASE_URL.

  npm run drill [-- --short] [--minutes N] [--previous COMMIT] [--only drill,drill]

  --short       minutes instead of an hour, for every day
  --minutes N   how long the soak lasts (default 30, 1 when short)
  --previous C  the commit an upgrade starts from (default the newest release; without one, this commit)
  --only NAME   of ${DRILLS.map(({ name }) => name).join(", ")} (default all)

Drills in full write their sections of tools/drill/RESULTS.md. Ends with 1 when a promise is broken.`;

const { values: options } = readArguments(USAGE, {
  options: {
    short: { type: "boolean", default: false },
    minutes: { type: "string" },
    previous: { type: "string" },
    only: { type: "string", default: DRILLS.map(({ name }) => name).join() },
  },
});
const minutes = Number(options.minutes ?? (options.short ? 1 : 30));
if (!(minutes > 0)) fail(`--minutes must be a number above 0; got "${options.minutes}".`);
const names = options.only.split(",");
for (const name of names) {
  if (!DRILLS.some((drill) => drill.name === name)) fail(`There is no drill "${name}".\n\n${USAGE}`);
}
ensureInstalled(import.meta.dirname);
const server = databaseUrl(USAGE);

let broken = 0;

/** Runs one drill and prints each line. @returns its section of the results */
const runOne = async (drill: Drill, service: Service): Promise<string> => {
  const section = [
    `## ${drill.name}`,
    "",
    provenance("drill"),
    "",
    "| what was done | what was counted | promises broken |",
    "|---|---|---|",
  ];
  const record = ({ did, counted, broken: promises }: Line) => {
    broken += promises.length;
    const verdict = promises.length === 0 ? "none" : `**${promises.join("; ")}**`;
    section.push(`| ${did} | ${counted} | ${verdict} |`);
    console.log(`${drill.name}: ${did}\n  ${counted}\n  broken: ${verdict}`);
  };
  try {
    for await (const line of drill.run(service, { ...options, minutes })) record(line);
  } catch (error) {
    record({ did: "did not come to its end", counted: String(error), broken: ["it runs"] });
  }
  return [...section, "", `Found so far: ${drill.found}`, ""].join("\n");
};

/** Replaces the sections of this run in RESULTS.md and keeps the others. */
const keepResults = (sections: Map<string, string>) => {
  const [, ...older] = existsSync(RESULTS) ? readFileSync(RESULTS, "utf8").split(/^(?=## )/m) : [];
  const kept = new Map(older.map((section) => [/^## (\S+)/.exec(section)?.[1] ?? "", section]));
  const all = DRILLS.flatMap(({ name }) => sections.get(name) ?? kept.get(name) ?? []);
  writeFileSync(RESULTS, ["# What the drills counted\n", ...all].join("\n"));
};

const sections = new Map<string, string>();
const service = await startService(server, options.short ? 2000 : 20_000);
try {
  for (const drill of DRILLS.filter(({ name }) => names.includes(name))) {
    sections.set(drill.name, await runOne(drill, service));
  }
} finally {
  await service.stop();
}
if (!options.short) keepResults(sections);
console.error(broken === 0 ? "Every promise held." : `${broken} promises are broken.`);
process.exit(broken === 0 ? 0 : 1);
