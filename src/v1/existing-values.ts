import { type Column, getTableName, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Db, Statement } from "../core/database.ts";
import { Refusal } from "../core/errors.ts";
import type { Rights } from "../core/rights.ts";
import { numberLiteral, whereClause } from "../db/conditions.ts";
import { jsonElements } from "../db/json-sql.ts";
import type { Scope } from "../db/scope.ts";
import { statement } from "../db/statement.ts";
import { escapeInvisible } from "../http/prefer.ts";
import { type Candidate, nearest } from "./nearest.ts";
import { sourcesOf, type ValueSource } from "./value-sources.ts";

const asText = (column: Column) =>
  column.dataType === "string" ? `"${column.name}"` : `"${column.name}"::text`;

/** A condition on whether a value occurs. It reads one index entry of each column. @param units a parameter */
const occurs = (sources: ValueSource[], parameter: string, units: string | undefined): string =>
  sources
    .map(({ value, unit }) => {
      const ofUnits = unit && units ? ` and "${unit.name}" = any(${units})` : "";
      return `exists (select from "${getTableName(value.table)}" where ${asText(value)} = ${parameter}${ofUnits})`;
    })
    .join(" or ");

/** The chain has eleven units, and some cost centres and accounts. */
const MAX_VALUES = 1000;

/** The values of a column, by a loose index scan: the cost does not grow with the table. */
const distinctValues = (column: Column, ofUnits: SQL | undefined): SQL => {
  const next = (condition: SQL) =>
    sql`(select ${column} from ${column.table}${whereClause(condition, ofUnits)} order by 1 limit 1)`;
  return sql`(with recursive known(value) as (
      select ${next(sql`${column} is not null`)}
      union all
      select ${next(sql`${column} > known.value`)} from known where known.value is not null
    ) select value::text, null as name from known where value is not null limit ${numberLiteral(MAX_VALUES)})`;
};

const candidatesOf = (sources: ValueSource[], { ownUnits }: Scope): SQL => {
  const all = sources.map(({ value, name, unit }) => {
    const ofUnits = unit && ownUnits.value && sql`${unit} = ${ownUnits.value}`;
    return name
      ? sql`select ${value}::text as value, ${name} as name from ${value.table}${whereClause(ofUnits)}`
      : distinctValues(value, ofUnits);
  });
  return sql`select value, max(name) as name from (${sql.join(all, sql` union all `)}) as known
    where value <> '' group by value limit ${numberLiteral(MAX_VALUES)}`;
};

const MAX_NAMED = 20;
/** No filter accepts a longer value. */
const MAX_LENGTH = 100;

const refusalOf = (name: string, value: string, candidates: Candidate[]): Refusal => {
  const possible = candidates.filter((one) => one.value.length <= MAX_LENGTH);
  const list = nearest(value, possible, MAX_NAMED).map((one) =>
    one.name === null
      ? JSON.stringify(one.value)
      : `${JSON.stringify(one.value)} (${one.name.slice(0, MAX_LENGTH)})`,
  );
  const advice =
    list.length > 0 ? `Existing values, nearest first: ${list.join(", ")}` : "There are no values";
  const message = `\`${name}\` ${JSON.stringify(value)} does not exist. ${advice}.`;
  return new Refusal(400, escapeInvisible(message));
};

/**
 * Builds a check of parameters whose values must exist (I8). The request's own statement checks them. Only a 400 runs a
 * second statement, which reads the values that exist.
 */
export const existenceCheck = (filters: Record<string, z.ZodType>) => {
  const all = sourcesOf(filters).map(([name, sources]) => ({
    name,
    sources,
    candidates: statement(
      (_, scope) => sql`select '[' || ${jsonElements(candidatesOf(sources, scope))} || ']' as body`,
    ),
  }));
  return (db: Db, rights: Rights, parameters: Record<string, unknown>): Db => {
    const given = all.filter(({ name }) => parameters[name] !== undefined);
    if (given.length === 0) return db;
    return async <Row>(asked: Statement) => {
      const values = [...asked.values, ...given.map(({ name }) => parameters[name])];
      const units = rights.units === null ? undefined : `$${values.push(rights.units)}`;
      const conditions = given.map(({ sources }, n) => {
        const parameter = `$${asked.values.length + n + 1}`;
        return `(${occurs(sources, parameter, units)})::text as exists_${n}`;
      });
      const text = `select answer.*, ${conditions.join(", ")} from (${asked.text}) as answer`;
      const row = await db<Row & Record<string, string>>({ ...asked, text, values });
      const missing = given.find((_, n) => row?.[`exists_${n}`] === "false");
      if (missing === undefined) return row;
      const known = await db<{ body: Uint8Array }>(missing.candidates(rights, {}));
      const value = String(parameters[missing.name]);
      throw refusalOf(missing.name, value, JSON.parse(new TextDecoder().decode(known?.body)));
    };
  };
};
