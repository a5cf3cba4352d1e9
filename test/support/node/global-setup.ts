import type { TestProject } from "vitest/node";
import { dropTemplates, openDemo } from "./databases.ts";
import { skipped } from "./installed.ts";

/** Query plans are meaningful only if a table is too large for a sequential scan. */
const VISITS: Record<string, number> = { plans: 200_000 };

/** The warehouse all tests share: demo data, one user, and rows that tests add under their own names. */
const setup = async (project: TestProject) => {
  const server = process.env.TEST_DATABASE_URL;
  const database = await openDemo(server, VISITS[project.name] ?? 400);

  const { username, pathname } = new URL(database.url);
  const ownerRole = decodeURIComponent(username) || "postgres";
  // An embedded Postgres serves one session.
  project.provide("upstream", {
    url: database.url,
    sessions: server ? 10 : 1,
    roles: ["salon_api", "salon_audit", ownerRole],
  });
  project.provide("databaseUrl", `postgres://salon_api:secret@ep-one.warehouse.test${pathname}`);
  project.provide("auditUrl", `postgres://salon_audit:secret@ep-one.audit.test${pathname}`);
  project.provide("ownerUrl", `postgres://${ownerRole}:secret@ep-one.warehouse.test${pathname}`);
  project.provide("postgresUrl", database.url);
  project.provide("isServer", Boolean(server));
  project.provide("fuzzRuns", Number(process.env.FUZZ_RUNS ?? 1500));
  project.provide("attackRounds", Number(process.env.ATTACK_ROUNDS ?? 1000));
  project.provide("fuzzSeed", Number(process.env.FUZZ_SEED ?? 1));
  const oracleSeed = Number(process.env.ORACLE_SEED ?? Date.now() % 1_000_000_000);
  const oracleRounds = Number(process.env.ORACLE_ROUNDS ?? 8);
  project.provide("oracleSeed", oracleSeed);
  project.provide("oracleRounds", oracleRounds);
  if (project.name === "oracle")
    console.log(`The oracle runs with ORACLE_SEED=${oracleSeed} ORACLE_ROUNDS=${oracleRounds}.`);
  return async () => {
    // Reported at the end of the run, because Vitest hides the output of a skipped file.
    for (const what of skipped[project.name] ?? []) console.warn(`SKIPPED: ${what}.`);
    await database.close();
    if (server && process.env.TEST_RUN_OWNER === String(process.pid)) await dropTemplates(server);
  };
};

export default setup;
