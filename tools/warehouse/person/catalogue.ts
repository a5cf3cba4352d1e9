import type pg from "pg";
import { PLACES } from "./places.ts";

/** A table with text, as the database describes it. */
export interface TextTable {
  table: string;
  /** Whether an erasure changes its rows, which then have an `id`. */
  isPlace: boolean;
  /** The columns with text or JSON. */
  columns: { name: string; isJson: boolean; isNullable: boolean }[];
  /** SQL for a row `r` as JSON, without its other columns. */
  document: string;
}

/** Reads every table that has a column with text or JSON. */
export const textTables = async (db: pg.Client): Promise<TextTable[]> => {
  const { rows } = await db.query(
    `select quote_ident(relname) as table, 'to_jsonb(r) - ' || quote_literal(coalesce(array_agg(attname) filter (where not is_text), '{}')::text) || '::text[]' as document,
       jsonb_agg(jsonb_build_object('name', attname, 'isJson', typname in ('json', 'jsonb'), 'isNullable', not attnotnull) order by attnum)
         filter (where is_text) as columns
     from pg_class as c
     join pg_attribute as a on attrelid = c.oid and attnum > 0 and not attisdropped
     join pg_type as t on t.oid = atttypid
     cross join lateral (select typcategory = 'S' or typname in ('json', 'jsonb', 'xml')
       or exists (select from pg_type as e where e.oid = t.typelem and t.typcategory = 'A' and (e.typcategory = 'S' or e.typname in ('json', 'jsonb'))) as is_text) as kind
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
     group by relname
     having bool_or(is_text)
     order by relname`,
  );
  return rows.map((row) => ({ ...row, isPlace: PLACES.some(({ table }) => table === row.table) }));
};
