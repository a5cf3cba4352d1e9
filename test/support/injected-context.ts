// Values that the setup in Node passes to the tests.

declare module "vitest" {
  interface ProvidedContext {
    /** The Worker's `DATABASE_URL`. Its host does not exist on any network. */
    databaseUrl: string;
    /** The Worker's `AUDIT_DATABASE_URL`, for tests that set it. The host is another one, so that it can fail alone. */
    auditUrl: string;
    /** The same database as its owner, for tests that insert rows. */
    ownerUrl: string;
    /** The Postgres behind the local Neon endpoint that receives the driver's requests. */
    upstream: { url: string; sessions: number; roles: string[] };
    /** The database over TCP, for the tests of tools. */
    postgresUrl: string;
    /** Number of generated requests in all fuzz tests: FUZZ_RUNS or a small default. */
    fuzzRuns: number;
    /** Seed of the fuzz tests: FUZZ_SEED or a constant, so that a failed run can be repeated. */
    fuzzSeed: number;
    /** Seed of the oracle's rows and questions: ORACLE_SEED or a random one. */
    oracleSeed: number;
    /** Number of random questions to each list: ORACLE_ROUNDS or a small default. */
    oracleRounds: number;
    /** The folder in which the commands of the docs run, and the base URL of its service. */
    docs: { folder: string; base: string };
    /** The origin of the service that the browser and generated clients use. */
    pages: string;
    /** Rounds of an attack on sessions: ATTACK_ROUNDS or 1,000. */
    attackRounds: number;
    /** True for a PostgreSQL server, false for the embedded one. */
    isServer: boolean;
  }
}

/** What the fake network does with the next database requests. */
export interface Fault {
  kind: "none" | "refuse" | "hang" | "status" | "body";
  /** Breaks and records only requests to this host. */
  host?: string;
  status?: number;
  body?: string;
  /** Number of requests to break; if omitted, all until `mendDatabase`. */
  times?: number;
  /** Number of requests that are answered before these. */
  after?: number;
}

/** A document at an address outside the service. */
export interface HostedDocument {
  url: string;
  body: string;
  status?: number;
  headers?: Record<string, string>;
  delayMs?: number;
}
