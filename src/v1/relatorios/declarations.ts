import type { z } from "@hono/zod-openapi";
import { type Column, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { matchFilters, whereClause } from "../../db/conditions.ts";
import { personal } from "../../db/personal-data.ts";
import type { Scope } from "../../db/scope.ts";
import { integer } from "../../http/params.ts";
import { estabelecimentos as e } from "../estabelecimentos/table.ts";
import { day, instant, string } from "../fields.ts";
import { lookUpProfessional } from "../professional-map.ts";
import { amount, count } from "./fields.ts";
import type { CalendarUnit, Dimension, Filter, Measure, RowReading } from "./source.ts";

/** Parts of declarations that several sources share. */

const calendarDimension = (calendar: CalendarUnit, name: string): Dimension => ({
  facts: ["starts_on"],
  calendar,
  keys: {
    [name]: {
      field: day("2026-11-01").openapi({ description: "First day of the period, in Brasília" }),
      // Facts by day or month start on the first day already.
      sql:
        calendar === "day" || calendar === "month"
          ? sql`starts_on`
          : sql`date_trunc(${sql.raw(`'${calendar}'`)}, starts_on::timestamp)::date`,
    },
  },
});

/** In Brasília. */
export const calendar = {
  dia: calendarDimension("day", "dia"),
  semana: calendarDimension("week", "semana"),
  mes: calendarDimension("month", "mes"),
  trimestre: calendarDimension("quarter", "trimestre"),
  ano: calendarDimension("year", "ano"),
};

const cycleDimension = (name: string, description: string, field: z.ZodType): Dimension => ({
  description,
  facts: [name],
  isCycle: true,
  keys: { [name]: { field, sql: sql.identifier(name).getSQL() } },
});

/** In Brasília. */
export const cycle = {
  dia_semana: cycleDimension("dia_semana", "1 is Monday", count("Weekday: 1 is Monday, 7 is Sunday", 6)),
  hora: cycleDimension("hora", "0 to 23", count("Hour: 9 is from 09:00 until before 10:00", 18)),
};

/**
 * All facts of a table.
 * @param p.at the time, or the date, of the range @param p.day its day in Brasília
 * @param p.more facts that the table has no column for
 */
export const readingOf = (
  table: PgTable,
  p: { at: Column; day: Column; more?: RowReading["facts"] },
): RowReading => {
  const columns = Object.entries(getTableColumns(table)).map(([name, column]) => [name, sql`${column}`]);
  return {
    from: table,
    at: sql`${p.at}`,
    facts: { ...Object.fromEntries(columns), starts_on: sql`${p.day}`, ...p.more },
  };
};

/** A dimension of one column that is a fact. */
export const simple = (
  description: string | undefined,
  column: string,
  field: z.ZodType,
  isPersonal = false,
): Dimension => ({
  description,
  facts: [column],
  keys: { [column]: { field, sql: sql.identifier(column).getSQL() } },
  ...(isPersonal && { isPersonal: true }),
});

/** The name of the unit with the lowest id. All names are read once: a statement has many rows. */
const unitName = (key: SQL, value: SQL) => sql`
  (select jsonb_object_agg(${key}, ${e.nome} order by ${e.id} desc) from ${e} where ${key} is not null) ->> ${value}`;

export const unidade: Dimension = {
  ...simple(undefined, "estabelecimento_id", string("101", "`salon_id` of the business unit")),
  labels: {
    unidade_nome: {
      field: string("Salão Jardins", "Name of the business unit; `null` if it is not registered").nullable(),
      sql: () => unitName(sql`${e.salon_id}`, sql`answer.estabelecimento_id`),
    },
  },
};

/** The business unit with this cost centre. */
export const unitOfCostCentre = (column: SQL) => unitName(sql`${e.erp_centro_custo_id}::text`, column);

/** Whether an id is one that readers without personal data get: `servicos` omits objects and arrays, too (A11). */
const isShownId = (id: SQL) => sql`${id} !~ '^[[{]'`;

export const profissional: Dimension = {
  readsProfessionals: true,
  facts: ["profissional"],
  keys: {
    profissional_salon_id: {
      field: string("5001", "Id in the salon system; `null` for rows that name no professional").nullable(),
      sql: ({ hidesPersonalData }) =>
        hidesPersonalData
          ? sql`case when ${isShownId(sql`profissional`)} then profissional end`
          : sql`profissional`,
    },
  },
  labels: {
    profissional: {
      field: string("Ana Almeida", "Name; `null` if no professional has this id").nullable(),
      sql: (keys) => {
        const unit = keys.includes("estabelecimento_id") ? sql`answer.estabelecimento_id` : sql`null::text`;
        return sql`(${lookUpProfessional(unit, sql`answer.profissional_salon_id`)} ->> 'profissional_nome')`;
      },
    },
  },
};

/** The name in the client's newest row. Its columns are those of `newest`. */
const newestName = (table: PgTable, key: string, at: SQL, { ownUnits }: Scope) => {
  const isOfClient = sql`newest.${sql.identifier(key)} = answer.${sql.identifier(key)}`;
  return sql`(
    select cliente_nome
    from ${table} as newest
    ${whereClause(isOfClient, matchFilters({ estabelecimento_id: ownUnits }))}
    order by ${at} desc, id desc
    limit 1
  )`;
};

/** @param p.row what a row of the source is @param p.at its time, by unqualified columns */
export const client = (p: { key: string; row: string; table: PgTable; at: SQL }): Dimension => ({
  facts: [p.key],
  isPersonal: true,
  // A text is cut in answers.
  keys: {
    [p.key]: { field: personal(string("C1").nullable()), sql: sql`left(${sql.identifier(p.key)}, 200)` },
  },
  labels: {
    cliente_nome: {
      field: personal(string("Bruna Barbosa", `Name in the client's newest ${p.row}`).nullable()),
      sql: (_keys, scope) => newestName(p.table, p.key, p.at, scope),
    },
  },
});

/** A number that adds up: the sum of an expression over the facts. */
const added = (field: z.ZodType, expression: SQL, facts: string[], empty: "0" | "0.00" = "0"): Measure => ({
  field,
  sql: sql`coalesce(${expression}, ${sql.raw(empty)})`,
  facts,
  empty,
  isDefault: true,
});

/** @param condition counts only the facts for which it is true */
export const counted = (description: string, example: number, condition?: SQL, ...facts: string[]): Measure =>
  added(
    count(description, example),
    sql`sum(records)${condition ? sql` filter (where ${condition})` : sql``}`,
    facts,
  );

/** The number of rows for which a fact is 1. */
export const countOf = (description: string, example: number, fact: string): Measure =>
  added(count(description, example), sql`sum(${sql.identifier(fact)})`, [fact]);

/** An amount that adds up. @param p.where adds only the facts for which it is true */
export const summed = (p: {
  description: string;
  example: number;
  sql: SQL;
  facts: string[];
  where?: SQL;
}): Measure =>
  added(
    amount(p.description, p.example),
    sql`round(sum(${p.sql})${p.where ? sql` filter (where ${p.where})` : sql``}, 2)`,
    p.facts,
    "0.00",
  );

/** Quantities keep the decimals that they need. */
export const quantity = (description: string, example: number, fact: string): Measure =>
  added(amount(description, example), sql`trim_scale(sum(${sql.identifier(fact)}))`, [fact]);

/** An amount for each of a number of records; null without records. */
export const average = (p: {
  description: string;
  example: number;
  total: SQL;
  records: SQL;
  facts: string[];
}): Measure => ({
  field: amount(p.description, p.example).nullable(),
  sql: sql`round(${p.total} / nullif(${p.records}, 0), 2)`,
  facts: p.facts,
  empty: "null",
  isDefault: true,
});

/** The number of different values. It is always counted from single facts: counts of periods do not add up. */
export const different = (
  description: string,
  example: number,
  expression: SQL,
  ...facts: string[]
): Measure => ({
  field: count(description, example),
  sql: sql`count(distinct ${expression})`,
  facts,
  empty: "0",
  isDefault: false,
});

/** The first or the last of the facts `at`. */
export const extreme = (description: string, which: "min" | "max"): Measure => ({
  field: instant().nullable().openapi({ description }),
  sql: sql`${sql.raw(which)}(at) filter (where isfinite(at))`,
  facts: ["at"],
  empty: "null",
  isDefault: false,
});

/** A filter that a fact equals. */
export const equal = (parameter: z.ZodType, fact: string): Filter => ({
  parameter,
  facts: [fact],
  condition: (value, column) => sql`${column(fact)} = ${value}`,
});

/** A filter by a text of people, which is sent in each of its Unicode forms (I4). */
export const equalText = (parameter: z.ZodType, fact: string): Filter => ({
  parameter,
  facts: [fact],
  condition: (value, column) => sql`${column(fact)} = any(${value}::text[])`,
});

/** A filter that finds no id which the answer would not show (A11). */
export const equalProfessional = (parameter: z.ZodType): Filter => ({
  parameter,
  facts: ["profissional"],
  condition: (value, column, { hidesPersonalData }) => {
    const id = column("profissional");
    return hidesPersonalData ? sql`(${id} = ${value} and ${isShownId(id)})` : sql`${id} = ${value}`;
  },
});

export const cycleFilters: Record<string, Filter> = {
  dia_semana: equal(
    integer({
      min: 1,
      max: 7,
      example: 6,
      description: "Only this weekday: 1 is Monday.",
    }).optional(),
    "dia_semana",
  ),
  hora_min: {
    parameter: integer({
      min: 0,
      max: 23,
      example: 9,
      description: "From this hour on.",
    }).optional(),
    facts: ["hora"],
    condition: (value, column) => sql`${column("hora")} >= ${value}`,
  },
  hora_max: {
    parameter: integer({
      min: 0,
      max: 23,
      example: 18,
      description: "Until the end of this hour.",
    }).optional(),
    facts: ["hora"],
    condition: (value, column) => sql`${column("hora")} <= ${value}`,
  },
};
