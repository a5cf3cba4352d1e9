import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { databaseUrl, ensureInstalled, fail, readArguments } from "../arguments.ts";
import { provenance } from "../results.ts";
import { clients } from "./clients.ts";
import { database } from "./database.ts";
import type { Drill, TestResult } from "./drill.ts";
import { fuzz } from "./fuzz.ts";
import { objects } from "./objects.ts";
import { privacy } from "./privacy.ts";
import { type Service, startService } from "./service.ts";
import { soak } from "./soak.ts";
import { upgrade } from "./upgrade.ts";

const RESULTS = join(import.meta.dirname, "RESULTS.md");
// `privacy` reads the logs and storage of all other drills, so it runs last.
const DRILLS = [database, objects, clients, fuzz, upgrade, soak, privacy];
const USAGE = `Tests the service under faults, on a new database on the server that DATABASE_URL names.

  npm run drill [-- --short] [--minutes N] [--previous COMMIT] [--only drill,drill]

  --short       takes minutes instead of an hour
  --minutes N   duration of the soak (default 30, or 1 with --short)
  --previous C  the commit the upgrade starts from (default: the newest release, or this commit if there is none)
  --only NAME   one or more of ${DRILLS.map(({ name }) => name).join(", ")} (default: all)

Without --short, each drill replaces its section of tools/drill/RESULTS.md. Exits with 1 if a check fails.`;

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
  if (!DRILLS.some((drill) => drill.name === name)) fail(`Unknown drill "${name}".\n\n${USAGE}`);
}
ensureInstalled(import.meta.dirname);
const server = databaseUrl(USAGE);

/** Said again at the end, because a check keeps only the last lines of a step. */
const failures: string[] = [];

/** Runs one drill and prints each result. @returns its section of the results */
const runOne = async (drill: Drill, service: Service): Promise<string> => {
  const section = [
    `## ${drill.name}`,
    "",
    provenance("drill"),
    "",
    "| test | result | failed checks |",
    "|---|---|---|",
  ];
  const record = ({ action, outcome, failed }: TestResult) => {
    failures.push(...failed.map((check) => `${drill.name}: ${action}: ${check}: ${outcome}`));
    const verdict = failed.length === 0 ? "none" : `**${failed.join("; ")}**`;
    section.push(`| ${action} | ${outcome} | ${verdict} |`);
    console.log(`${drill.name}: ${action}\n  ${outcome}\n  failed checks: ${verdict}`);
  };
  try {
    for await (const result of drill.run(service, { ...options, minutes })) record(result);
  } catch (error) {
    record({
      action: "The drill ended with an error",
      outcome: String(error),
      failed: ["the drill runs to its end"],
    });
  }
  return [...section, "", `Findings so far: ${drill.findings}`].join("\n");
};

/** Replaces the sections of this run in RESULTS.md and keeps the others. */
const keepResults = (sections: Map<string, string>) => {
  const [, ...older] = existsSync(RESULTS) ? readFileSync(RESULTS, "utf8").split(/^(?=## )/m) : [];
  const kept = new Map(older.map((section) => [/^## (\S+)/.exec(section)?.[1] ?? "", section.trimEnd()]));
  const all = DRILLS.flatMap(({ name }) => sections.get(name) ?? kept.get(name) ?? []);
  writeFileSync(RESULTS, `${["# Drill results", ...all].join("\n\n")}\n`);
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
for (const failure of failures) console.error(failure);
console.error(failures.length === 0 ? "All checks passed." : `${failures.length} checks failed.`);
process.exit(failures.length === 0 ? 0 : 1);
