import { fillPlaceholders, is, Placeholder, type Query, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Statement } from "../core/database.ts";
import type { Rights } from "../core/rights.ts";
import { type Scope, scopeOf, scopeParameters } from "./scope.ts";

export type Placeholders<Q> = { [Name in keyof Q]: undefined extends Q[Name] ? SQL | undefined : SQL };
/** The parameters of a query, except the unit: it is part of the scope. */
export type Given<Q> = Placeholders<Omit<Q, "estabelecimento_id">>;

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

/**
 * Builds the SQL once for each set of given parameters and kind of rights, and caches it as long as the isolate lives.
 * @throws Refusal 403 for a unit outside the rights (A11)
 */
export const statement = <Q extends object>(build: (given: Given<Q>, scope: Scope) => SQLWrapper) => {
  const compiled = new Map<string, Query>();
  return (rights: Rights, parameters: Q): Statement => {
    const { estabelecimento_id, ...others } = parameters as Q & { estabelecimento_id?: string };
    const limits = scopeParameters(rights, estabelecimento_id);
    const names = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const scope = scopeOf(rights, limits);
    const { hidesPersonalData, hidesJobErrors } = scope;
    const key = [...names, "", ...Object.keys(limits), hidesPersonalData, hidesJobErrors].join();
    let query = compiled.get(key);
    if (query === undefined) {
      const given = Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));
      query = compile(build(given as Given<Q>, scope).getSQL());
      compiled.set(key, query);
    }
    return { text: query.sql, values: fillPlaceholders(query.params, { ...others, ...limits }) };
  };
};
