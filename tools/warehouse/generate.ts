import type { ClientBase } from "pg";
import { bills, CHAIN_GOALS, chain, countPlanned, plan } from "./invented/chain.ts";
import { entries, expenses } from "./invented/entries.ts";
import { EVEN_GOALS, even } from "./invented/even.ts";
import { goals } from "./invented/goals.ts";
import { jobs, RUNS } from "./invented/jobs.ts";
import { commissions, payments } from "./invented/payments.ts";
import { sales } from "./invented/sales.ts";
import { units } from "./invented/units.ts";
import { visits } from "./invented/visits.ts";

const BATCH = 20_000;
/** One statement per table is fastest, and leaves no dead versions of rollup rows. */
const WHOLE = 100_000;

interface Invention {
  /** The same seed and `now` generate the same warehouse. */
  seed?: number;
  /** The time of the newest data. */
  now?: Date;
  /** Receives a progress line from time to time. */
  progress?: (line: string) => void;
}

export interface WarehouseSize extends Invention {
  visits: number;
  /** The share of visits and store tickets of one client, from 0 to 1. Default: no such client. */
  walkInShare?: number;
}

/** A table with its row count and the INSERT of rows $1 to $2. Later tables read earlier ones. */
type Step = { name: string; rows: number; insert: string };

const insertAll = async (
  db: ClientBase,
  steps: Step[],
  batch: number,
  { progress = () => undefined }: Invention,
): Promise<void> => {
  for (const { name, rows, insert } of steps) {
    for (let from = 1; from <= rows; from += batch) {
      const to = Math.min(rows, from + batch - 1);
      await db.query(insert, [from, to]);
      progress(`Filling the warehouse: ${name} ${to} of ${rows}`);
    }
  }
};

/** Defines what the statements of `invented` use, in a transaction of this session. */
export const define = async (db: ClientBase, { seed = 1, now = new Date() }: Invention): Promise<void> => {
  // JIT compilation takes longer than the inserts. Sorts need no files.
  await db.query(
    "set local timezone = 'America/Sao_Paulo'; set local jit = off; set local work_mem = '64MB'",
  );
  await db.query(`create or replace function pg_temp.now_() returns timestamptz language sql immutable
    as $$ select timestamptz '${now.toISOString()}' $$`);
  // Uniform in [0, 1), from the row number and a name.
  await db.query(`create or replace function pg_temp.r(i bigint, name text) returns double precision
    language sql immutable parallel safe
    as $$ select (hashtextextended(name || '${Math.trunc(seed)}', i) & 4503599627370495) / 4503599627370496::float8 $$`);
  await db.query(`create or replace function pg_temp.pick(i bigint, name text, words text[]) returns text
    language sql immutable parallel safe
    as $$ select words[1 + floor(pg_temp.r(i, name) * cardinality(words))::int] $$`);
};

/** Fills an empty warehouse, in one transaction: a partly filled warehouse would look complete. */
const fill = async (db: ClientBase, invention: Invention, insert: () => Promise<void>): Promise<void> => {
  await db.query("begin");
  await define(db, invention);
  await db.query(units);
  await insert();
  for (const name of ["transacoes", "lancamentos", "pagamentos_erp"])
    await db.query(`select setval(pg_get_serial_sequence('${name}', 'id'), max(id)) from ${name}`);
  await db.query("commit");
};

/** The load leaves many dead versions of each rollup row. `cluster` rewrites the tables in key order. */
const compact = async (db: ClientBase): Promise<void> => {
  const { rows } = await db.query(
    "select tablename as name from pg_tables where tablename like '%\\_rollup'",
  );
  for (const { name } of rows) await db.query(`cluster ${name} using ${name}_key`);
  // Index-only scans need the visibility map that vacuum writes.
  await db.query("vacuum analyze");
};

const JOBS: Step = { name: "jobs_log", rows: RUNS, insert: jobs };

/**
 * Fills an empty warehouse with invented data, generated inside Postgres. A row of a large table depends only on its
 * number and on the rows it refers to, so batches can be inserted in sequence.
 */
export const generateWarehouse = async (db: ClientBase, size: WarehouseSize): Promise<void> => {
  await fill(db, size, async () => {
    const { visits: rows, walkInShare = 0 } = size;
    const shape = even(rows, walkInShare);
    const ofEntries = { rows: Math.ceil(rows * 0.4), visits: rows, step: "5 / 2" };
    const ofPayments = Math.ceil(rows * 0.1);
    const steps = [
      { name: "transacoes", rows, insert: visits(shape) },
      { name: "vendas_produto", rows, insert: sales(shape) },
      { name: "lancamentos", rows: ofEntries.rows, insert: entries(ofEntries) },
      { name: "pagamentos_erp", rows: ofPayments, insert: payments(ofPayments) },
      JOBS,
    ];
    await insertAll(db, steps, BATCH, size);
    await db.query(commissions);
    await db.query(goals(EVEN_GOALS));
  });
  await compact(db);
};

/** Fills an empty warehouse with a chain that lives: seasons, weekdays, units that grow and shrink, lost clients. */
export const generateChain = async (db: ClientBase, invention: Invention = {}): Promise<void> => {
  await fill(db, invention, async () => {
    await db.query(plan);
    const { rows } = await db.query<{ all: number; recent: number }>(countPlanned);
    const { all = 0, recent = 0 } = rows[0] ?? {};
    const steps = [
      { name: "transacoes", rows: all, insert: visits(chain) },
      { name: "vendas_produto", rows: all, insert: sales(chain) },
      { name: "lancamentos", rows: recent, insert: entries({ rows: recent, visits: all, step: "1" }) },
      JOBS,
    ];
    await insertAll(db, steps, WHOLE, invention);
    for (const statement of [bills, commissions, expenses(recent), goals(CHAIN_GOALS)])
      await db.query(statement);
  });
  // A small sample suffices, and the first start waits for it.
  await db.query("set default_statistics_target = 10; analyze; reset default_statistics_target");
};
