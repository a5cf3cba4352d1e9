import { pipeline } from "node:stream/promises";
import fc from "fast-check";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { insertRows, keyColumn, type Row, selectRows, TABLES, withUniqueKeys } from "./rows.ts";

/** What a loader does to a table in one statement. */
type Kind = "insert" | "copy" | "upsert" | "update" | "touch" | "delete" | "truncate";

interface Step {
  table: string;
  kind: Kind;
  rows: Row[];
  /** Whether the step first runs in a savepoint that is rolled back. */
  isFirstRolledBack: boolean;
}

interface Transaction {
  steps: Step[];
  isRolledBack: boolean;
}

// The embedded Postgres does not support COPY from a client.
const kinds = (hasCopy: boolean): fc.Arbitrary<Kind> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Kind>("insert", ...(hasCopy ? (["copy"] as const) : [])) },
    { weight: 6, arbitrary: fc.constantFrom<Kind>("update", "upsert", "delete") },
    { weight: 1, arbitrary: fc.constant<Kind>("touch") },
    { weight: 1, arbitrary: fc.constant<Kind>("truncate") },
  );

const transactions = (hasCopy: boolean): fc.Arbitrary<Transaction> => {
  const step = fc.constantFrom(...Object.entries(TABLES)).chain(([table, { row }]) =>
    fc.record({
      table: fc.constant(table),
      kind: kinds(hasCopy),
      rows: fc.array(row, { minLength: 1, maxLength: 20 }),
      isFirstRolledBack: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
    }),
  );
  return fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
    isRolledBack: fc.integer({ min: 0, max: 6 }).map((n) => n === 0),
  });
};

/** A select of random rows that no other transaction has locked. */
const someRows = (table: string, count: number) =>
  `(select id from ${table} order by random() limit ${count} for update skip locked)`;

const csvCell = (value: unknown): string => {
  if (value === null) return "";
  return `"${(typeof value === "object" ? JSON.stringify(value) : String(value)).replaceAll('"', '""')}"`;
};

const copy = (db: pg.Client, table: string, rows: Row[]) => {
  const names = Object.keys(rows[0] ?? {}).join();
  const lines = rows.map((row) => `${Object.values(row).map(csvCell).join()}\n`);
  return pipeline(lines, db.query(copyFrom(`copy ${table} (${names}) from stdin with (format csv)`)));
};

/** The number of keys that all loaders share, so that upserts conflict. */
const SHARED_KEYS = 40;

const runStep = async (db: pg.Client, { table, kind, rows }: Step): Promise<unknown> => {
  const { key } = TABLES[table] as (typeof TABLES)[string];
  const changes = Object.keys(rows[0] ?? {}).map((name) => `${name} = changed.${name}`);
  switch (kind) {
    case "insert":
      return insertRows(db, table, withUniqueKeys(table, rows));
    case "copy":
      return copy(db, table, withUniqueKeys(table, rows));
    case "upsert": {
      const shared = new Map(rows.map((row, n) => [(n * 7919 + rows.length * 31) % SHARED_KEYS, row]));
      const upserted = [...shared].map(([n, row]) => ({ ...row, ...keyColumn(key, 900_000 + n) }));
      const set = Object.keys(rows[0] ?? {}).map((name) => `${name} = excluded.${name}`);
      return insertRows(db, table, upserted, ` on conflict (${key}) do update set ${set.join()}`);
    }
    case "update":
      return db.query(
        `update ${table} set ${changes.join()} from (${selectRows(table, rows.slice(0, 1))}) as changed
         where ${table}.id in ${someRows(table, rows.length)}`,
        [JSON.stringify(rows.slice(0, 1))],
      );
    case "touch":
      return db.query(`update ${table} set id = id where id in ${someRows(table, rows.length)}`);
    case "delete":
      return db.query(`delete from ${table} where id in ${someRows(table, rows.length)}`);
    case "truncate":
      return db.query(`truncate ${table}`);
  }
};

export type Isolation = "read committed" | "repeatable read" | "serializable";

/** SQLSTATE of a deadlock and of a conflict: a loader tries again. Both occur on their own rows, too. */
const TRY_AGAIN = ["40P01", "40001"];

const runTransaction = async (
  db: pg.Client,
  { steps, isRolledBack }: Transaction,
  executed: Set<string>,
  isolation: Isolation,
): Promise<void> => {
  await db.query(`begin isolation level ${isolation}`);
  try {
    for (const step of steps) {
      if (step.isFirstRolledBack) {
        await db.query("savepoint first_try");
        await runStep(db, step);
        await db.query("rollback to savepoint first_try");
      }
      await runStep(db, step);
      executed.add(`${step.kind} ${step.table}`);
    }
    await db.query(isRolledBack ? "rollback" : "commit");
  } catch (error) {
    await db.query("rollback");
    if (!TRY_AGAIN.includes((error as pg.DatabaseError).code ?? "")) throw error;
  }
};

/**
 * Runs concurrent loaders with random transactions: inserts, updates that move rows between days, months and
 * keys, deletes, upserts, COPY, TRUNCATE, savepoints and rollbacks.
 * @param loaders one connection per loader
 * @param perLoader number of transactions per loader
 * @param hasCopy whether the database supports COPY
 * @param truncates whether to include TRUNCATE, which only READ COMMITTED allows
 * @returns the kinds of statement that ran, by table
 */
export const runRandomLoaders = async (
  loaders: pg.Client[],
  seed: number,
  perLoader: number,
  hasCopy: boolean,
  { truncates = true, isolation = "read committed" }: { truncates?: boolean; isolation?: Isolation } = {},
): Promise<Set<string>> => {
  const executed = new Set<string>();
  await Promise.all(
    loaders.map(async (db, n) => {
      const planned = fc.sample(transactions(hasCopy), { numRuns: perLoader, seed: seed + 1000 * (n + 1) });
      for (const { steps, isRolledBack } of planned) {
        const isTruncating = truncates && isolation === "read committed";
        const kept = steps.filter(({ kind }) => isTruncating || kind !== "truncate");
        await runTransaction(db, { steps: kept, isRolledBack }, executed, isolation);
      }
    }),
  );
  return executed;
};
