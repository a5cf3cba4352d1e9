import { fillPlaceholders, is, Placeholder, type Query, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { BoundedMap } from "../core/bounded-map.ts";
import type { Statement } from "../core/database.ts";
import type { Rights } from "../core/rights.ts";
import { type Scope, scopeOf, scopeParameters } from "./scope.ts";
import type { Shape } from "./shape.ts";

export type Placeholders<Q> = { [Name in keyof Q]: undefined extends Q[Name] ? SQL | undefined : SQL };
/** The parameters of a query, except those of its scope and its shape. */
export type Given<Q> = Placeholders<Omit<Q, "estabelecimento_id" | "campos" | "formato">>;

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

/** Statements of some kilobytes each. `campos` alone has thousands of values (L8). */
const MAX_COMPILED = 100;

/** Parameters that change the text of a statement and are not bound. */
interface TextParameters {
  estabelecimento_id?: string;
  campos?: Shape["fields"];
  formato?: Shape["format"];
}

interface Cache {
  /** Differs for each `build` that shares `compiled`. */
  name: string;
  compiled: BoundedMap<string, Query>;
}

/**
 * Builds the SQL once for each set of given parameters, kind of rights and shape, and caches it.
 * @throws Refusal 403 for a unit outside the rights (A11)
 */
export const statement = <Q extends object>(
  build: (given: Given<Q>, scope: Scope, shape: Shape) => SQLWrapper,
  { name, compiled }: Cache = { name: "", compiled: new BoundedMap(MAX_COMPILED) },
) => {
  return (rights: Rights, parameters: Q): Statement => {
    const { estabelecimento_id, campos, formato, ...others } = parameters as Q & TextParameters;
    const limits = scopeParameters(rights, estabelecimento_id);
    const names = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const scope = scopeOf(rights, limits);
    const { hidesPersonalData, hidesJobErrors } = scope;
    const rightsKey = [...Object.keys(limits), hidesPersonalData, hidesJobErrors];
    const key = [name, names, rightsKey, campos, formato].join(";");
    let query = compiled.get(key);
    if (query === undefined) {
      const given = Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));
      query = compile(build(given as Given<Q>, scope, { fields: campos, format: formato }).getSQL());
      compiled.set(key, query);
    }
    return { text: query.sql, values: fillPlaceholders(query.params, { ...others, ...limits }) };
  };
};
