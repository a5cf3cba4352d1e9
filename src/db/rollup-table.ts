import { bigint, date, integer, type PgColumnBuilderBase, pgTable, text, unique } from "drizzle-orm/pg-core";

/**
 * Sums over the rows of another table: by each key, and by business day and month in Brasília and over all time.
 * Triggers of that table keep them exact (migrations). A writer adds to rows of its own `writer` number, so that loaders do not wait
 * for one another; whoever reads adds those rows up.
 * @param keys columns with the names they have in the table; a missing value is a key like any other
 * @param measures what is summed besides the number of records
 */
export const rollupTable = <Keys extends Record<string, PgColumnBuilderBase>>(
  name: string,
  keys: Keys,
  measures: Record<string, PgColumnBuilderBase> = {},
) =>
  pgTable(
    name,
    {
      grain: text({ enum: ["day", "month", "all"] }).notNull(),
      /** First day of the day or month; `-infinity` for all time, and for records without a date. */
      starts_on: date({ mode: "string" }).notNull(),
      ...(keys as Record<string, PgColumnBuilderBase>),
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

/**
 * How many ids a block has. Lists in order of id are summed by block too, so that the sums tell where a page begins.
 * The migration says the same with `id >> 14`.
 */
export const BLOCK = 16_384;
