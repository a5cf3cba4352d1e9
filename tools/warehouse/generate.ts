import type { ClientBase } from "pg";
import { entries } from "./invented/entries.ts";
import { goals } from "./invented/goals.ts";
import { jobs, RUNS } from "./invented/jobs.ts";
import { commissions, payments } from "./invented/payments.ts";
import { sales } from "./invented/sales.ts";
import { units } from "./invented/units.ts";
import { visits } from "./invented/visits.ts";
import { clientsOf } from "./invented/words.ts";

/** Visits in the demo warehouse of `npm start`. An embedded Postgres generates them in seconds. */
export const DEMO_VISITS = 3000;

const BATCH = 20_000;

/** The tables in insert order, with row counts and the INSERT of rows $1 to $2. Later tables read earlier ones. */
const steps = (rows: number, walkInShare: number) => {
  const clients = clientsOf(rows, walkInShare);
  const [ofEntries, ofPayments] = [Math.ceil(rows * 0.4), Math.ceil(rows * 0.1)];
  return [
    { name: "transacoes", rows, insert: visits(rows, clients) },
    { name: "vendas_produto", rows, insert: sales(rows, clients) },
    { name: "lancamentos", rows: ofEntries, insert: entries(ofEntries, rows) },
    { name: "pagamentos_erp", rows: ofPayments, insert: payments(ofPayments) },
    { name: "jobs_log", rows: RUNS, insert: jobs },
  ];
};

export interface WarehouseSize {
  visits: number;
  /** The share of visits and store tickets of one client, from 0 to 1. Default: no such client. */
  walkInShare?: number;
  /** The same seed and `now` generate the same warehouse. */
  seed?: number;
  /** The time of the newest data. */
  now?: Date;
  /** Receives a progress line from time to time. */
  progress?: (line: string) => void;
}

/**
 * Fills an empty warehouse with invented data, generated inside Postgres. A row of a large table depends only on its
 * number and on the rows it refers to, so batches can be inserted in sequence.
 */
export const generateWarehouse = async (db: ClientBase, size: WarehouseSize): Promise<void> => {
  const { walkInShare = 0, seed = 1, now = new Date(), progress = () => undefined } = size;
  // One transaction: a partly filled warehouse would look complete. The settings end with it.
  await db.query("begin");
  // JIT compilation takes longer than the inserts.
  await db.query("set local timezone = 'America/Sao_Paulo'; set local jit = off");
  await db.query(`create or replace function pg_temp.now_() returns timestamptz language sql immutable
    as $$ select timestamptz '${now.toISOString()}' $$`);
  // Uniform in [0, 1), from the row number and a name.
  await db.query(`create or replace function pg_temp.r(i bigint, name text) returns double precision
    language sql immutable parallel safe
    as $$ select (hashtextextended(name || '${Math.trunc(seed)}', i) & 4503599627370495) / 4503599627370496::float8 $$`);
  await db.query(`create or replace function pg_temp.pick(i bigint, name text, words text[]) returns text
    language sql immutable parallel safe
    as $$ select words[1 + floor(pg_temp.r(i, name) * cardinality(words))::int] $$`);
  await db.query(units);
  for (const { name, rows, insert } of steps(size.visits, walkInShare)) {
    for (let from = 1; from <= rows; from += BATCH) {
      const to = Math.min(rows, from + BATCH - 1);
      await db.query(insert, [from, to]);
      progress(`Filling the warehouse: ${name} ${to} of ${rows}`);
    }
  }
  await db.query(commissions);
  await db.query(goals);
  for (const name of ["transacoes", "lancamentos", "pagamentos_erp"])
    await db.query(`select setval(pg_get_serial_sequence('${name}', 'id'), max(id)) from ${name}`);
  await db.query("commit");
  // The load leaves many dead versions of each rollup row. `cluster` rewrites the tables in key order.
  const { rows } = await db.query(
    "select tablename as name from pg_tables where tablename like '%\\_rollup'",
  );
  for (const { name } of rows) await db.query(`cluster ${name} using ${name}_key`);
  // Index-only scans need the visibility map that vacuum writes.
  await db.query("vacuum analyze");
};
