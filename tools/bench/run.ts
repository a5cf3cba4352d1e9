import { existsSync } from "node:fs";
import { databaseUrl, ensureInstalled, fail, readArguments } from "../arguments.ts";
import { provenance } from "../results.ts";
import { connected } from "../warehouse/databases.ts";
import { measureClosings } from "./closings.ts";
import { benchDatabase } from "./databases.ts";
import { type Figure, section } from "./figures.ts";
import { measureHttp } from "./http.ts";
import { measureLoaders } from "./loaders.ts";
import { measureLoginTimes } from "./logins.ts";
import { CHROMIUM, measurePages } from "./pages.ts";
import { measurePostgrest } from "./postgrest/measure.ts";
import { measureSql } from "./sql.ts";
import { measureWhole } from "./whole.ts";

/** Shows how fast the service is, and how much it costs, beside alternatives. */

const USAGE = `Benchmarks the service against alternatives, on the PostgreSQL server that DATABASE_URL names.

  npm run bench [-- --visits N,N,…] [--seconds N] [--only part,part]

  --visits N,N   sizes of the warehouse (default 20000,340000,2000000). Each is filled once and kept as the database
                 bench_<N>; the smallest and the largest are compared. Filling two million takes ten minutes.
  --seconds N    duration of each HTTP load run (default 4). Shorter runs are less precise; below 1 second they only
                 show that the bench works.
  --only PART    one or more of sql, http, whole, closings, postgrest, loaders, logins, pages (default: all).
                 whole copies the smallest warehouse, and needs psql.
                 pages needs Chromium at /usr/bin/chromium, or at the path in CHROMIUM.

The role in DATABASE_URL must be able to create databases. Prints Markdown.`;

const progress = (line: string) => console.error(line);

const { values: options } = readArguments(USAGE, {
  options: {
    visits: { type: "string", default: "20000,340000,2000000" },
    seconds: { type: "string", default: "4" },
    only: { type: "string", default: "sql,http,whole,closings,postgrest,loaders,logins,pages" },
  },
});
const sizes = options.visits.split(",").map(Number);
if (sizes.some((size) => !Number.isInteger(size) || size < 1000))
  fail(`--visits must be whole numbers of at least 1000; got "${options.visits}".`);
const seconds = Number(options.seconds);
if (!(seconds > 0)) fail(`--seconds must be a number above 0; got "${options.seconds}".`);
ensureInstalled(import.meta.dirname);
const server = databaseUrl(USAGE);

const urls: [number, string][] = [];
for (const size of [...sizes].sort((a, b) => a - b)) {
  progress(`Opening the warehouse of ${size} visits`);
  urls.push([size, await benchDatabase(server, size, progress)]);
}
const parts: Record<string, () => Promise<[title: string, figures: Figure[]][]>> = {
  sql: async () => [["SQL", await measureSql(urls, progress)]],
  http: async () => {
    const sections: [string, Figure[]][] = [];
    for (const [size, url] of urls) {
      progress(`HTTP on ${size} visits`);
      sections.push([`HTTP, ${size} visits`, await measureHttp(url, seconds, progress)]);
    }
    return sections;
  },
  whole: async () => [["Whole lists", await measureWhole(server, urls[0]?.[1] ?? "", progress)]],
  closings: async () => [["Closed months", await measureClosings(urls.at(-1)?.[1] ?? "")]],
  postgrest: () => measurePostgrest(urls, seconds, progress),
  loaders: async () => [["Loaders", await measureLoaders(server, progress)]],
  logins: async () => [["Logins", await measureLoginTimes(progress)]],
  pages: async () => [["Pages at 1.6 Mbit/s and 150 ms", await measurePages()]],
};
const chosen = options.only.split(",");
for (const name of chosen)
  if (!(name in parts))
    fail(`--only must be one or more of ${Object.keys(parts).join(", ")}; got "${name}".`);

if (chosen.includes("pages") && !existsSync(CHROMIUM))
  fail(`The part pages needs Chromium at ${CHROMIUM}. Install it, or set CHROMIUM to its path.`);

const { rows } = await connected(server, (db) => db.query("show server_version"));
console.log(`${provenance("bench")} · PostgreSQL ${rows[0].server_version} · Node ${process.version}

Medians of alternating runs, p99 in parentheses.
`);
let missed = 0;
for (const name of chosen) {
  for (const [title, figures] of (await parts[name]?.()) ?? []) {
    missed += figures.filter(({ isMet }) => isMet === false).length;
    console.log(section(title, figures));
  }
}
console.error(missed === 0 ? "Every bar is met." : `${missed} bars are missed.`);
