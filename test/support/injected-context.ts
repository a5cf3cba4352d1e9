// What the tests in Node and those in the Worker tell each other.

declare module "vitest" {
  interface ProvidedContext {
    /** What the Worker is given: the host is one no network has. */
    databaseUrl: string;
    /** The same database as its owner, for tests that arrange rows. */
    ownerUrl: string;
    /** Where the driver's requests really go. */
    endpoint: string;
    /** The database over TCP, for the tests of tools. */
    postgresUrl: string;
    /** How many generated requests a fuzz test sends: FUZZ_RUNS, or enough for every day. */
    fuzzRuns: number;
    /** Where the generated requests start from: FUZZ_SEED, or always the same, so that a red run can be repeated. */
    fuzzSeed: number;
    /** What the oracle's rows and questions follow from: ORACLE_SEED, or another one each time. */
    oracleSeed: number;
    /** How many questions the oracle asks of each list: ORACLE_ROUNDS, or enough for every day. */
    oracleRounds: number;
    /** The folder that commands of the docs run in, and where its service answers. */
    docs: { folder: string; base: string };
    /** How many rounds an attack on sessions goes: ATTACK_ROUNDS, or 1,000. */
    attackRounds: number;
    /** Whether it is a PostgreSQL server rather than an embedded one. */
    isServer: boolean;
  }
}

/** What the network in front of Postgres does to the next requests. */
export interface Fault {
  kind: "refuse" | "hang" | "status" | "body";
  status?: number;
  body?: string;
  /** How many requests it strikes; all until it is mended when left out. */
  times?: number;
}
