import { fillPlaceholders, is, Placeholder, type Query, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Statement } from "../../core/database.ts";
import { type ComparisonRule, clockOf, type InstantRange, movesByDays } from "../../core/periods.ts";
import type { ReadRequest, RequestParameter, Shape } from "./read-request.ts";
import { type Scope, scopeOf, scopeParameters } from "./scope.ts";

export type Placeholders<Q> = { [Name in keyof Q]: undefined extends Q[Name] ? SQL | undefined : SQL };
/** The parameters of a query, except those that are in a `ReadRequest`. */
export type PlaceholdersOf<Q> = Placeholders<Omit<Q, RequestParameter>>;

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

/** Today's date in Brasília at the time of the request, not that of the database. */
export const TODAY: SQL = sql`${sql.placeholder("hoje")}::date`;
/** The time of the request, not that of the database. */
const NOW: SQL = sql`${sql.placeholder("agora")}::timestamptz`;

/** How far the data reaches (R23), null without a completed run. */
export const DATA_REACHED: SQL = sql`data_reached(${NOW})`;
/** How far the data reaches, or now. A function in a bound would run for each row: read it once in a statement. */
export const DATA_INSTANT: SQL = sql`data_instant(${NOW})`; // mistake: run-completed

/** The range to compare with. If the data reaches nothing of it, it ends before it starts. */
export interface Earlier extends Placeholders<InstantRange> {
  /** The end of the range in full, if `data_fim` is known only when the statement runs. */
  latest_fim?: SQL;
  /** The data instant if it moved the end, else null. */
  ate: SQL;
  /** How far the range moved back, as an interval. */
  shift: SQL;
  movesByDays: boolean;
}

/** @param range the placeholders of the range of the request */
const earlierOf = (
  { data_inicio, data_fim }: Record<string, SQL | undefined>,
  { comparison, cutAt }: ComparisonRule,
): Earlier => {
  const ends = sql`${sql.placeholder("comparar")}, ${data_inicio}, ${data_fim}`;
  const common = {
    data_inicio: sql`earlier_start(${ends})`,
    shift: sql`comparison_shift(${ends})`,
    movesByDays: movesByDays(comparison),
  };
  const fullEnd = sql`earlier_end(${ends}, null)`;
  if (cutAt === "data-instant")
    return {
      ...common,
      data_fim: sql`(select fim from earlier_range)`,
      latest_fim: fullEnd,
      ate: sql`(select ate from earlier_range)`,
    };
  const end = cutAt === undefined ? fullEnd : sql`earlier_end(${ends}, ${sql.placeholder("ate_agora")})`;
  return { ...common, data_fim: end, ate: sql`null::timestamptz` };
};

/** The same comparison of a range that ends otherwise, which the data has passed. */
export const withEnd = (
  { latest_fim: _, ...earlier }: Earlier,
  { data_inicio, data_fim }: Record<string, SQL | undefined>,
): Earlier => ({
  ...earlier,
  data_fim: sql`earlier_end(${sql.placeholder("comparar")}, ${data_inicio}, ${data_fim}, null)`,
  ate: sql`null::timestamptz`,
});

/** Adds what the data instant moves. As a function in each bound, it would run for each bound, or for each row. */
const withEarlierRange = ({ data_inicio, data_fim }: Record<string, SQL | undefined>, query: SQL): SQL => sql`
  with earlier_range as materialized (
    select earlier_end(${sql.placeholder("comparar")}, ${data_inicio}, ${data_fim}, reached) as fim,
      case when reached < ${data_fim} then reached end as ate
    from (select ${DATA_INSTANT} as reached offset 0) as reach
  )
  ${query}`;

/** Statements of some kilobytes each. `campos` alone has thousands of values (L8). */
const MAX_COMPILED = 100;

interface Cache {
  /** Differs for each `build` that shares `compiled`. */
  name: string;
  compiled: BoundedMap<string, Query>;
}

/**
 * Builds the SQL once for each combination of sent parameters and kind of request, and caches it.
 * @throws Refusal 403 for a unit outside the rights (A11)
 */
export const statement = <Q extends object>(
  build: (
    placeholders: PlaceholdersOf<Q>,
    scope: Scope,
    shape: Shape,
    earlier: Earlier | undefined,
  ) => SQLWrapper,
  { name, compiled }: Cache = { name: "", compiled: new BoundedMap(MAX_COMPILED) },
) => {
  return (request: ReadRequest, parameters: Q): Statement => {
    const { rights, unit, fields, format, earlier, now } = request;
    const rightsParameters = scopeParameters(rights, unit);
    const names = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const scope = scopeOf(rights, rightsParameters);
    const { hidesPersonalData, hidesJobErrors } = scope;
    const rightsKey = [...Object.keys(rightsParameters), hidesPersonalData, hidesJobErrors];
    const compared = earlier && [movesByDays(earlier.comparison), typeof earlier.cutAt];
    const key = [name, names, rightsKey, fields, format, compared].join(";");
    let query = compiled.get(key);
    if (query === undefined) {
      const placeholders = Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));
      const built = build(
        placeholders as PlaceholdersOf<Q>,
        scope,
        request,
        earlier && earlierOf(placeholders, earlier),
      ).getSQL();
      query = compile(earlier?.cutAt === "data-instant" ? withEarlierRange(placeholders, built) : built);
      compiled.set(key, query);
    }
    const values = {
      ...parameters,
      ...rightsParameters,
      comparar: earlier?.comparison,
      ate_agora: typeof earlier?.cutAt === "object" ? earlier.cutAt.instant : undefined,
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
