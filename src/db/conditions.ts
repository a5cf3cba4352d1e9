import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** What a column must be equal to, by its name; a filter that was not given is no condition. */
export type Filters = Record<string, SQLWrapper | undefined>;

/** The names stand alone: a table, its rollup and the rollup's source share them. */
export const equal = (filters: Filters): SQL | undefined =>
  and(...Object.entries(filters).map(([name, value]) => value && sql`${sql.identifier(name)} = ${value}`));

/** ` where …`, or nothing. */
export const whereOf = (...conditions: (SQL | undefined)[]): SQL => {
  const condition = and(...conditions);
  return condition ? sql` where ${condition}` : sql``;
};

/** Parts with commas between them. */
export const list = (items: SQLWrapper[]): SQL => sql.join(items, sql`, `);

/** A number known here, written into the statement's text. */
export const number = (value: number): SQL => sql.raw(String(value));
