import { writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { databaseUrl, fail, readArguments } from "../arguments.ts";
import { clients } from "./clients.ts";
import { database } from "./database.ts";
import { privacy } from "./privacy.ts";
import { startService } from "./service.ts";
import { soak } from "./soak.ts";

const RESULTS = new URL("./RESULTS.md", import.meta.url).pathname;
const DRILLS = [database, clients, soak, privacy];
const USAGE = `Runs the service against the world's bad days, on a database of its own on the server of DATABASE_URL.

  npm run drill [-- --short] [--minutes N] [--only drill,drill]

  --short       minutes instead of an hour, for every day
  --minutes N   how long the soak lasts (default 30, 1 when short)
  --only NAME   of ${DRILLS.map(({ name }) => name).join(", ")} (default all)

All drills in full go to tools/drill/RESULTS.md. Ends with 1 when a promise is broken.`;

const { values: options } = readArguments(USAGE, {
  options: {
    short: { type: "boolean", default: false },
    minutes: { type: "string" },
    only: { type: "string", default: DRILLS.map(({ name }) => name).join() },
  },
});
const minutes = Number(options.minutes ?? (options.short ? 1 : 30));
if (!(minutes > 0)) fail(`--minutes must be a number above 0; got "${options.minutes}".`);
const names = options.only.split(",");
for (const name of names) {
  if (!DRILLS.some((drill) => drill.name === name)) fail(`There is no drill "${name}".\n\n${USAGE}`);
}
const server = databaseUrl(USAGE);

const command = `npm run drill --${options.short ? " --short" : ""} --minutes ${minutes}`;
const report = [
  "# What the drills counted",
  "",
  `\`${command}\` · ${new Date().toISOString().slice(0, 10)} · ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  "",
];
let broken = 0;
const service = await startService(server, options.short ? 2000 : 20_000);
try {
  for (const drill of DRILLS.filter(({ name }) => names.includes(name))) {
    report.push(
      `## ${drill.name}`,
      "",
      "| what was done | what was counted | promises broken |",
      "|---|---|---|",
    );
    for await (const line of drill.run(service, { short: options.short, minutes })) {
      broken += line.broken.length;
      const verdict = line.broken.length === 0 ? "none" : `**${line.broken.join("; ")}**`;
      report.push(`| ${line.did} | ${line.counted} | ${verdict} |`);
      console.log(`${drill.name}: ${line.did}\n  ${line.counted}\n  broken: ${verdict}`);
    }
    report.push("");
  }
} finally {
  await service.stop();
}
if (!options.short && names.length === DRILLS.length) writeFileSync(RESULTS, report.join("\n"));
console.error(broken === 0 ? "Every promise held." : `${broken} promises are broken.`);
process.exit(broken === 0 ? 0 : 1);
