import { fillPlaceholders, is, Placeholder, type Query, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { BoundedMap } from "../core/bounded-map.ts";
import type { Statement } from "../core/database.ts";
import { clockOf, type InstantRange } from "../core/periods.ts";
import { type Scope, scopeOf, scopeParameters } from "./scope.ts";
import type { ReadRequest, RequestParameter, Shape } from "./shape.ts";

export type Placeholders<Q> = { [Name in keyof Q]: undefined extends Q[Name] ? SQL | undefined : SQL };
/** The parameters of a query, except those that are in a `ReadRequest`. */
export type Given<Q> = Placeholders<Omit<Q, RequestParameter>>;

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

/** The range to compare with. */
export type Earlier = Placeholders<InstantRange>;
const EARLIER: Earlier = {
  data_inicio: sql`${sql.placeholder("anterior_inicio")}`,
  data_fim: sql`${sql.placeholder("anterior_fim")}`,
};

/** Today's date in Brasília at the time of the request, not that of the database. */
export const TODAY: SQL = sql`${sql.placeholder("hoje")}::date`;

/** The time of the request, not that of the database. */
export const NOW: SQL = sql`${sql.placeholder("agora")}::timestamptz`;

/** Statements of some kilobytes each. `campos` alone has thousands of values (L8). */
const MAX_COMPILED = 100;

interface Cache {
  /** Differs for each `build` that shares `compiled`. */
  name: string;
  compiled: BoundedMap<string, Query>;
}

/**
 * Builds the SQL once for each set of given parameters and kind of request, and caches it.
 * @throws Refusal 403 for a unit outside the rights (A11)
 */
export const statement = <Q extends object>(
  build: (given: Given<Q>, scope: Scope, shape: Shape, earlier: Earlier | undefined) => SQLWrapper,
  { name, compiled }: Cache = { name: "", compiled: new BoundedMap(MAX_COMPILED) },
) => {
  return (request: ReadRequest, parameters: Q): Statement => {
    const { rights, unit, fields, format, earlier, now } = request;
    const limits = scopeParameters(rights, unit);
    const names = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const scope = scopeOf(rights, limits);
    const { hidesPersonalData, hidesJobErrors } = scope;
    const rightsKey = [...Object.keys(limits), hidesPersonalData, hidesJobErrors];
    const key = [name, names, rightsKey, fields, format, earlier !== undefined].join(";");
    let query = compiled.get(key);
    if (query === undefined) {
      const given = Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));
      query = compile(build(given as Given<Q>, scope, request, earlier && EARLIER).getSQL());
      compiled.set(key, query);
    }
    const ends = { anterior_inicio: earlier?.data_inicio, anterior_fim: earlier?.data_fim };
    const values = {
      ...parameters,
      ...limits,
      ...ends,
      // Few statements read these.
      get hoje() {
        return clockOf(now).date;
      },
      get agora() {
        return new Date(now).toISOString();
      },
    };
    return { text: query.sql, values: fillPlaceholders(query.params, values) };
  };
};
