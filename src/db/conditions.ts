import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";

export type Filters = Record<string, SQLWrapper | undefined>;

/** Column names are unqualified: the same filters apply to a table, its rollup and the rollup's source. */
export const matchFilters = (filters: Filters): SQL | undefined =>
  and(...Object.entries(filters).map(([name, value]) => value && sql`${sql.identifier(name)} = ${value}`));

export const whereClause = (...conditions: (SQL | undefined)[]): SQL => {
  const condition = and(...conditions);
  return condition ? sql` where ${condition}` : sql``;
};

export const joinWithCommas = (items: SQLWrapper[]): SQL => sql.join(items, sql`, `);

export const numberLiteral = (value: number): SQL => sql.raw(String(value));
