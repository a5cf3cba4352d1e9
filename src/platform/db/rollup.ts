import { getTableName } from "drizzle-orm";
import {
  bigint,
  date,
  integer,
  type PgColumn,
  type PgColumnBuilderBase,
  type PgTable,
  pgTable,
  text,
  unique,
} from "drizzle-orm/pg-core";

const shapes = new WeakMap<PgTable, { keys: string[]; measures: string[] }>();

/** The columns that a rollup groups by, and those that it sums besides `records`. */
export const shapeOf = (rollup: PgTable) => {
  const shape = shapes.get(rollup);
  if (shape === undefined) throw new Error(`${getTableName(rollup)} is no rollup`);
  return shape;
};

/** Sums over another table by key: per day and month in Brasília, and for all time. Triggers update them. */
export const rollupTable = <
  Keys extends Record<string, PgColumnBuilderBase>,
  Measures extends Record<string, PgColumnBuilderBase> = Record<never, PgColumnBuilderBase>,
>(
  name: string,
  keys: Keys,
  measures?: Measures,
) => {
  const table = pgTable(
    name,
    {
      grain: text({ enum: ["day", "month", "all"] }).notNull(),
      /** First day of the period. `-infinity`: all time, or rows without a date. */
      starts_on: date({ mode: "string" }).notNull(),
      ...(keys as Record<string, PgColumnBuilderBase>),
      /** Each open transaction writes rows of its own, so that no loader waits. Readers add up all rows. */
      writer: integer().notNull(),
      records: bigint({ mode: "number" }).notNull(),
      ...measures,
    },
    (t) => [
      unique(`${name}_key`)
        .on(
          t.grain,
          t.starts_on,
          ...Object.keys(keys).map((key) => t[key as keyof typeof t] as never),
          t.writer,
        )
        .nullsNotDistinct(),
    ],
  );
  shapes.set(table, { keys: Object.keys(keys), measures: Object.keys(measures ?? {}) });
  return table as typeof table & Record<keyof Keys | keyof Measures, PgColumn>;
};

/** Number of ids per block. Lists ordered by id also have sums per block. In the migrations: `id >> 14`. */
export const BLOCK = 16_384;
