import { fillPlaceholders, is, Placeholder, type Query, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Statement } from "../core/database.ts";

export type Placeholders<Q> = { [Name in keyof Q]: undefined extends Q[Name] ? SQL | undefined : SQL };

const isSame = (a: unknown, b: unknown) =>
  is(a, Placeholder) && is(b, Placeholder) ? a.name === b.name : a === b;

const compile = (statement: SQL): Query => {
  const params: unknown[] = [];
  const dialect = new PgDialect();
  // drizzle passes the value as a second argument, which is missing in its type.
  dialect.escapeParam = (_, param?: unknown) => {
    const index = params.findIndex((other) => isSame(other, param));
    return `$${index === -1 ? params.push(param) : index + 1}`;
  };
  return { sql: dialect.sqlToQuery(statement).sql, params };
};

/** Builds the SQL once for each set of given parameters and caches it as long as the isolate lives. */
export const statement = <Q extends object>(build: (given: Placeholders<Q>) => SQLWrapper) => {
  const compiled = new Map<string, Query>();
  return (parameters: Q): Statement => {
    const names = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const key = names.join();
    let query = compiled.get(key);
    if (query === undefined) {
      const given = Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));
      query = compile(build(given as Placeholders<Q>).getSQL());
      compiled.set(key, query);
    }
    return { text: query.sql, values: fillPlaceholders(query.params, parameters as Record<string, unknown>) };
  };
};
