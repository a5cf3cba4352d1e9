// What the tiers of checks need besides `npm ci`.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CHROMIUM, hasChromium, LIBREOFFICE, POSTGRES_PROGRAMS } from "../../test/support/node/installed.ts";
import { fail, readArguments } from "../arguments.ts";
import { connected } from "../warehouse/databases.ts";
import { TIERS } from "./tiers.ts";

const USAGE = `Names what is missing for the checks, and how to install it.

  npm run doctor                 all tiers: fast (npm run check), full, server, short, nightly
  npm run doctor -- server       one tier

Exits with 1 if something required is missing, or if CI is set and anything is. Otherwise the tests that need it are
skipped.`;

interface Need {
  tiers: string[];
  what: string;
  isMet: () => boolean | Promise<boolean>;
  install: string;
  /** Tests without it are skipped. */
  isOptional?: boolean;
}

const isOnPath = (program: string) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

const packagesOf = (folder: string) => ({
  what: `the packages of ${folder}`,
  isMet: () => existsSync(join(import.meta.dirname, "../..", folder, "node_modules")),
  install: `npm --prefix ${folder} ci`,
});

const server = process.env.TEST_DATABASE_URL || "postgres://postgres@127.0.0.1:5432/postgres";
/** Only the host and port: other parts of a connection string may contain a password. */
const address = (URL.canParse(server) && new URL(server).host) || "the address in TEST_DATABASE_URL";
const isServerUp = () =>
  connected(server, (db) => db.query("select 1")).then(
    () => true,
    () => false,
  );
const PROGRAMS = ["curl", "jq", "psql", "pg_dump", "python3", "openssl"];

const needsOf = (tiers: string[]): Need[] =>
  [
    {
      tiers: ["full", "server", "nightly"],
      what: `Chromium at ${CHROMIUM}`,
      isMet: () => hasChromium,
      install: "apt-get install chromium-headless-shell, or set CHROMIUM to the path of another one",
      isOptional: true,
    },
    {
      tiers: ["nightly"],
      what: "a full Chromium",
      isMet: () => existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium"),
      install: "apt-get install chromium, or set CHROMIUM to its path",
    },
    {
      tiers: ["full", "server"],
      what: `programs that the docs use (${PROGRAMS.join(", ")})`,
      isMet: () => PROGRAMS.every(isOnPath),
      install: "apt-get install curl jq postgresql-client python3 openssl",
      isOptional: true,
    },
    {
      tiers: ["full"],
      what: "LibreOffice, which opens the files for Excel",
      isMet: () => LIBREOFFICE !== undefined,
      install: "apt-get install libreoffice-calc",
      isOptional: true,
    },
    {
      tiers: ["full"],
      what: "programs of a PostgreSQL server (initdb, pg_ctl) for a replica",
      isMet: () => POSTGRES_PROGRAMS !== undefined,
      install: "apt-get install postgresql",
      isOptional: true,
    },
    { tiers: ["full", "nightly"], ...packagesOf("test/clients"), isOptional: true },
    {
      tiers: ["server", "short", "nightly"],
      what: `a PostgreSQL server at ${address}`,
      isMet: isServerUp,
      install: "apt-get install postgresql, or set TEST_DATABASE_URL to another server",
    },
    { tiers: ["nightly"], ...packagesOf("test/specmatic") },
    {
      tiers: ["nightly"],
      what: "Java, which runs Specmatic",
      isMet: () => isOnPath("java"),
      install: "apt-get install default-jre-headless",
    },
    { tiers: ["short", "nightly"], ...packagesOf("tools/bench") },
  ].filter((need) => need.tiers.some((tier) => tiers.includes(tier)));

const { positionals: tiers } = readArguments(USAGE, { allowPositionals: true });
const unknown = tiers.filter((tier) => !Object.hasOwn(TIERS, tier));
if (unknown.length > 0) fail(`Unknown tier: ${unknown.join(", ")}.\n\n${USAGE}`);
const isCi = !["", "false", "0", undefined].includes(process.env.CI);
for (const { what, isMet, install, isOptional = false } of needsOf(
  tiers.length > 0 ? tiers : Object.keys(TIERS),
)) {
  if (await isMet()) continue;
  console.error(`MISSING: ${what}. To install: ${install}`);
  if (isCi || !isOptional) process.exitCode = 1;
}
if (process.exitCode === 1) console.error("Install it first: nothing was run.");
