import type { ClientBase } from "pg";
import { tables, units } from "./invented.ts";

/** Visits of the demo warehouse that `npm start` fills: seconds on an embedded Postgres. */
export const DEMO_VISITS = 3000;

const BATCH = 20_000;

export interface WarehouseSize {
  visits: number;
  /** The same seed and `now` give the same warehouse. */
  seed?: number;
  /** The moment the warehouse is up to. */
  now?: Date;
  /** Is told a line now and then. */
  progress?: (line: string) => void;
}

/**
 * Fills an empty warehouse with invented data, generated inside Postgres. Rows of the big tables follow from
 * their number alone, so that batches can be written one after another.
 */
export const generateWarehouse = async (db: ClientBase, size: WarehouseSize): Promise<void> => {
  const { visits, seed = 1, now = new Date(), progress = () => undefined } = size;
  await db.query("set timezone = 'America/Sao_Paulo'");
  await db.query(`create or replace function pg_temp.now_() returns timestamptz language sql immutable
    as $$ select timestamptz '${now.toISOString()}' $$`);
  // Uniform in [0, 1): what is random about row i under a name.
  await db.query(`create or replace function pg_temp.r(i bigint, name text) returns double precision
    language sql immutable parallel safe
    as $$ select (hashtextextended(name || '${Math.trunc(seed)}', i) & 4503599627370495) / 4503599627370496.0 $$`);
  await db.query(`create or replace function pg_temp.pick(i bigint, name text, words text[]) returns text
    language sql immutable parallel safe
    as $$ select words[1 + floor(pg_temp.r(i, name) * cardinality(words))::int] $$`);
  // All or nothing: a warehouse half filled would be taken for a full one.
  await db.query("begin");
  await db.query(units);
  for (const { name, rows, insert, identity } of tables(visits)) {
    for (let from = 1; from <= rows; from += BATCH) {
      const to = Math.min(rows, from + BATCH - 1);
      await db.query(insert, [from, to]);
      progress(`Filling the warehouse: ${name} ${to} of ${rows}`);
    }
    if (identity)
      await db.query(`select setval(pg_get_serial_sequence('${name}', 'id'), max(id)) from ${name}`);
  }
  await db.query("commit");
  await db.query("reset timezone");
  // One transaction has left every version of every sum behind: a load like this is followed by putting them in order.
  const { rows } = await db.query(
    "select tablename as name from pg_tables where tablename like '%\\_rollup'",
  );
  for (const { name } of rows) await db.query(`cluster ${name} using ${name}_key`);
  // Index-only scans need the visibility map that vacuum writes.
  await db.query("vacuum analyze");
};
