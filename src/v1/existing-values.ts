import { type Column, getTableName, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Db, Statement } from "../core/database.ts";
import { Refusal } from "../core/errors.ts";
import type { Rights } from "../core/rights.ts";
import { numberLiteral } from "../db/conditions.ts";
import { jsonElements } from "../db/json-sql.ts";
import { statement } from "../db/statement.ts";
import { escapeInvisible } from "../http/prefer.ts";
import { type Candidate, nearest } from "./nearest.ts";

/** Where the values of a parameter occur. */
export interface Sources {
  /** Columns of the rows that are asked for. Each leads an index, or its table is small. */
  columns: Column[];
  /** Columns that have the values even if no such row has them, each with the column of their names. */
  named: [value: Column, name: Column][];
  /** Whether the values are units, of which a reader may know only their own (A11). */
  areUnits?: true;
}

const registry = new WeakMap<z.ZodType, Sources>();

/** Declares where the values of a parameter occur. */
export const withSources = <Parameter extends z.ZodType>(parameter: Parameter, of: Sources): Parameter => {
  registry.set(parameter, of);
  return parameter;
};

const sourcesOf = (filters: Record<string, z.ZodType>): [name: string, of: Sources][] =>
  Object.entries(filters).flatMap(([name, parameter]) => {
    const of = registry.get(parameter);
    return of ? [[name, of]] : [];
  });

const asText = (column: Column) =>
  column.dataType === "string" ? `"${column.name}"` : `"${column.name}"::text`;

/** A condition on whether a value occurs. It reads one index entry of each column. */
const occurs = ({ columns, named }: Sources, value: string): string =>
  [...named.map(([column]) => column), ...columns]
    .map(
      (column) => `exists (select from "${getTableName(column.table)}" where ${asText(column)} = ${value})`,
    )
    .join(" or ");

/** Enough to find the nearest. The chain has eleven units, some cost centres and accounts. */
const MAX_VALUES = 1000;

/** The values of a column, by a loose index scan: the cost does not grow with the table. */
const valuesOf = (column: Column): SQL => {
  const next = (condition: SQL) =>
    sql`(select ${column} from ${column.table} where ${condition} order by 1 limit 1)`;
  return sql`(with recursive known(value) as (
      select ${next(sql`${column} is not null`)}
      union all
      select ${next(sql`${column} > known.value`)} from known where known.value is not null
    ) select value::text, null as name from known where value is not null limit ${numberLiteral(MAX_VALUES)})`;
};

/** One row per value: its name comes from any of the named columns. */
const candidates = ({ columns, named }: Sources): SQL => {
  const all = [
    ...named.map(([value, name]) => sql`select ${value}::text as value, ${name} as name from ${value.table}`),
    ...columns.map(valuesOf),
  ];
  return sql`select value, max(name) as name from (${sql.join(all, sql` union all `)}) as known
    where value is not null group by value limit ${numberLiteral(MAX_VALUES)}`;
};

const statements = new WeakMap<Sources, (rights: Rights, parameters: object) => Statement>();
const candidatesStatement = (of: Sources) => {
  const known =
    statements.get(of) ?? statement(() => sql`select '[' || ${jsonElements(candidates(of))} || ']' as body`);
  statements.set(of, known);
  return known;
};

const MAX_NAMED = 20;
/** No filter accepts a longer value. */
const MAX_LENGTH = 100;

const refusalOf = async (db: Db, rights: Rights, name: string, value: string, of: Sources) => {
  const row = await db<{ body: Uint8Array }>(candidatesStatement(of)(rights, {}));
  const all: Candidate[] = JSON.parse(new TextDecoder().decode(row?.body));
  const own = of.areUnits && rights.units ? all.filter((one) => rights.units?.includes(one.value)) : all;
  const possible = own.filter((one) => one.value !== "" && one.value.length <= MAX_LENGTH);
  const list = nearest(value, possible, MAX_NAMED).map((one) =>
    one.name === null
      ? JSON.stringify(one.value)
      : `${JSON.stringify(one.value)} (${one.name.slice(0, MAX_LENGTH)})`,
  );
  const advice =
    list.length > 0 ? `Existing values, nearest first: ${list.join(", ")}` : "There are no values";
  return new Refusal(400, escapeInvisible(`\`${name}\` ${JSON.stringify(value)} does not exist. ${advice}.`));
};

/**
 * Builds a check of parameters whose values must exist (I8). The statement of the request tells whether they do. Only
 * for the message of a 400, a second one reads those that exist.
 */
export const existenceCheck = (filters: Record<string, z.ZodType>) => {
  const all = sourcesOf(filters);
  return (db: Db, rights: Rights, parameters: Record<string, unknown>): Db => {
    const given = all.filter(([name]) => parameters[name] !== undefined);
    if (given.length === 0) return db;
    return async <Row>(asked: Statement) => {
      const values = [...asked.values, ...given.map(([name]) => parameters[name])];
      const conditions = given.map(
        ([, of], n) => `(${occurs(of, `$${asked.values.length + n + 1}`)})::text as exists_${n}`,
      );
      const text = `select answer.*, ${conditions.join(", ")} from (${asked.text}) as answer`;
      const row = await db<Row & Record<string, string>>({ ...asked, text, values });
      const missing = given.findIndex((_, n) => row?.[`exists_${n}`] === "false");
      const [name, of] = given[missing] ?? [];
      if (name === undefined || of === undefined) return row;
      throw await refusalOf(db, rights, name, String(parameters[name]), of);
    };
  };
};
