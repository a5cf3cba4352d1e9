import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { AnyOf, type Units } from "./scope.ts";

export type Filters = Record<string, SQLWrapper | AnyOf | undefined>;
/** Filters that include the units, by one of the columns that name a row's unit. */
export type ScopedFilters = Filters &
  ({ estabelecimento_id: Units } | { salon_estabelecimento_id: Units } | { salon_id: Units });

/** Column names are unqualified: the same filters apply to a table, its rollup and the rollup's source. */
export const matchFilters = (filters: Filters): SQL | undefined =>
  and(
    ...Object.entries(filters).map(([name, filter]) => {
      const value = filter instanceof AnyOf ? filter.value : filter;
      const condition = value && sql`${sql.identifier(name)} = ${value}`;
      // Postgres uses an index for `a = b`, but not for `(a = b) is true`.
      return filter instanceof AnyOf && filter.skipsIndex ? sql`(${condition}) is true` : condition;
    }),
  );

export const whereClause = (...conditions: (SQL | undefined)[]): SQL => {
  const condition = and(...conditions);
  return condition ? sql` where ${condition}` : sql``;
};

export const joinWithCommas = (items: SQLWrapper[]): SQL => sql.join(items, sql`, `);

export const numberLiteral = (value: number): SQL => sql.raw(String(value));

/** A word that the code has, never text from a request. */
export const wordLiteral = (word: string): SQL => sql.raw(`'${word}'`);

/** Any of the values in an array. @param values undefined if the filter was not sent */
export const anyOf = (values: SQL | undefined): AnyOf | undefined =>
  values && new AnyOf(sql`any(${values}::text[])`, { areSeveral: true });
