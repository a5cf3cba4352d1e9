import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** What a column must be equal to, by its name; a filter that was not given is no condition. */
export type Filters = Record<string, SQLWrapper | undefined>;

/** Without the table's name: a table, its rollup and the rollup's source have columns of the same names. */
export const equal = (filters: Filters): SQL | undefined =>
  and(...Object.entries(filters).map(([name, value]) => value && sql`${sql.identifier(name)} = ${value}`));

/** ` where …`, or nothing. */
export const whereOf = (...conditions: (SQL | undefined)[]): SQL => {
  const condition = and(...conditions);
  return condition ? sql` where ${condition}` : sql``;
};

/** With commas between them. */
export const joined = (items: SQLWrapper[]): SQL => sql.join(items, sql`, `);

/** A number known here, written into the statement's text. */
export const number = (value: number): SQL => sql.raw(String(value));
