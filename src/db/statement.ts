import { fillPlaceholders, is, Placeholder, type Query, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

/** A statement's text with `$1`…, and their values. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** The parameters of a request as a statement sees them: placeholders of those that were given. */
export type Given<Q> = { [Name in keyof Q]: undefined extends Q[Name] ? SQL | undefined : SQL };

const dialect = new PgDialect();

/** The same statement with one number for each parameter, however often its text uses it. */
const numberedOnce = ({ sql: text, params }: Query): Query => {
  const names = params.map((param) => (is(param, Placeholder) ? param.name : param));
  const distinct = [...new Set(names)];
  return {
    sql: text.replace(/\$(\d+)/g, (_, number) => `$${distinct.indexOf(names[number - 1]) + 1}`),
    params: distinct.map((name) => params[names.indexOf(name)]),
  };
};

/**
 * A statement whose text is written once for each set of given parameters and kept as long as the isolate lives, so
 * that a request costs the lookup of a text.
 */
export const statement = <Q extends object>(build: (given: Given<Q>) => SQLWrapper) => {
  const written = new Map<string, Query>();
  return (parameters: Q): Statement => {
    const names = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const shape = names.join();
    let query = written.get(shape);
    if (query === undefined) {
      const given = Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));
      query = numberedOnce(dialect.sqlToQuery(build(given as Given<Q>).getSQL()));
      written.set(shape, query);
    }
    return { text: query.sql, values: fillPlaceholders(query.params, parameters as Record<string, unknown>) };
  };
};
