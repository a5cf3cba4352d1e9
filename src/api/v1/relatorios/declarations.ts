import { z } from "@hono/zod-openapi";
import { type Column, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { withMetadata } from "../../../core/schema-metadata.ts";
import { matchFilters, whereClause } from "../../../platform/db/conditions.ts";
import { personal } from "../../../platform/db/personal-data.ts";
import type { Scope } from "../../../platform/db/scope.ts";
import { integer } from "../../../platform/http/params.ts";
import { estabelecimentos as e } from "../estabelecimentos/table.ts";
import { day, instant, string } from "../fields.ts";
import { lookUpProfessional } from "../professional-map.ts";
import { count } from "./fields.ts";
import type { CalendarGrain, Dimension, Filter, Measure } from "./source.ts";
import { taxasCartao } from "./table.ts";

/** Parts of declarations that several sources share. */

const calendarDimension = (calendar: CalendarGrain, name: string): Dimension => ({
  calendar,
  keys: {
    [name]: {
      field: day("2026-11-01").openapi({ description: "First day of the period, in Brasília" }),
      // What is read by day or month starts on the first day already.
      sql:
        calendar === "day" || calendar === "month"
          ? sql`starts_on`
          : sql`date_trunc(${sql.raw(`'${calendar}'`)}, starts_on::timestamp)::date`, // mistake: sunday
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

/** A dimension of one column. */
export const simple = (
  description: string | undefined,
  column: Column,
  field: z.ZodType,
  isPersonal = false,
): Dimension => ({
  description,
  keys: { [column.name]: { field, sql: sql`${column}` } },
  ...(isPersonal && { isPersonal: true }),
});

/** The columns of facts with a time. */
interface TimeColumns {
  dia_semana: Column;
  hora: Column;
}

/** In Brasília. */
export const cycle = ({ dia_semana, hora }: TimeColumns): Record<string, Dimension> => ({
  dia_semana: {
    ...simple("1 is Monday", dia_semana, count("Weekday: 1 is Monday, 7 is Sunday", 6)),
    isCycle: true,
  },
  hora: { ...simple("0 to 23", hora, count("Hour: 9 is from 09:00 until before 10:00", 18)), isCycle: true },
});

/** The name of the unit with the lowest id. All names are read once: a statement has many rows. */
const unitName = (key: SQL, value: SQL) => sql`
  (select jsonb_object_agg(${key}, ${e.nome} order by ${e.id} desc) from ${e} where ${key} is not null) ->> ${value}`;

const unitField = () => string("101", "`salon_id` of the business unit");

export const unidade = (column: Column, field: z.ZodType = unitField()): Dimension => ({
  ...simple(undefined, column, field),
  labels: {
    unidade_nome: {
      field: string("Salão Jardins", "Name of the business unit; `null` if it is not registered").nullable(),
      sql: () => unitName(sql`${e.salon_id}`, sql`answer.estabelecimento_id`),
    },
  },
});

/** The business unit with this cost centre. */
export const unitOfCostCentre = (column: SQL) => unitName(sql`${e.erp_centro_custo_id}::text`, column);

/** Whether an id is one that readers without personal data get: `servicos` omits objects and arrays, too (A11). */
export const isShownId = (id: Column | SQL) => sql`${id} !~ '^[[{]'`;

export const profissional = (column: Column): Dimension => ({
  readsProfessionals: true,
  keys: {
    profissional_salon_id: {
      field: string("5001", "Id in the salon system; `null` for rows that name no professional").nullable(),
      sql: ({ hidesPersonalData }) =>
        hidesPersonalData ? sql`case when ${isShownId(column)} then ${column} end` : sql`${column}`,
    },
  },
  labels: {
    profissional: {
      field: string("Ana Almeida", "Name; `null` if no professional has this id").nullable(),
      sql: (keys) => {
        // mistake: professional-of-any-unit
        const unit = keys.includes("estabelecimento_id") ? sql`answer.estabelecimento_id` : sql`null::text`;
        return sql`(${lookUpProfessional(unit, sql`answer.profissional_salon_id`)} ->> 'profissional_nome')`;
      },
    },
  },
});

/** The name in the client's newest row. Its columns are those of `newest`. */
const newestName = (table: PgTable, { name }: Column, at: SQL, { ownUnits }: Scope) => {
  const isOfClient = sql`newest.${sql.identifier(name)} = answer.${sql.identifier(name)}`;
  const isOfUnits = matchFilters({ estabelecimento_id: ownUnits }); // mistake: name-of-any-unit
  return sql`(
    select cliente_nome
    from ${table} as newest
    ${whereClause(isOfClient, isOfUnits)}
    order by ${at} desc, id desc
    limit 1
  )`;
};

/** @param p.row what a row of the source is @param p.at its time, by unqualified columns */
export const cliente = (p: { key: Column; row: string; table: PgTable; at: SQL }): Dimension => ({
  isPersonal: true,
  // A text is cut in answers. The index by which the name is found has the default collation.
  keys: {
    [p.key.name]: {
      field: personal(string("C1").nullable()),
      sql: sql`left(${p.key}, 200) collate "default"`,
    },
  },
  labels: {
    cliente_nome: {
      field: personal(string("Bruna Barbosa", `Name in the client's newest ${p.row}`).nullable()),
      sql: (_keys, scope) => newestName(p.table, p.key, p.at, scope),
    },
  },
});

/** One object of all fees: a subquery for each payment method would run for each row. A fee of NaN is no fee (R20). */
const fees = sql`
  select jsonb_object_agg(${taxasCartao.forma_pagamento}, ${taxasCartao.taxa_cobrada_profissional})
  from ${taxasCartao}
  where ${taxasCartao.taxa_cobrada_profissional} <> 'NaN'`;

/** The fee of a payment method, as a share of what was paid with it. */
export const feeOf = (method: Column): SQL => sql`((${fees}) ->> ${method})::numeric`;

type Documented = Pick<Measure, "description" | "example">;

/** A number that adds up. @param expression an aggregate; null without rows */
const added = (
  documented: Documented,
  field: z.ZodType,
  expression: SQL,
  empty: "0" | "0.00" = "0",
): Measure => ({
  ...documented,
  field,
  sql: sql`coalesce(${expression}, ${sql.raw(empty)})`,
  empty,
  isDefault: true,
});

const filtered = (aggregate: SQL, condition: SQL | undefined): SQL =>
  condition ? sql`${aggregate} filter (where ${condition})` : aggregate;

/** @param condition counts only the facts for which it is true */
export const counted = (description: string, example: number, condition?: SQL): Measure =>
  added({ description, example }, z.int(), filtered(sql`sum(records)`, condition));

/** The number of facts for which a column is 1. */
export const countOf = (description: string, example: number, column: Column): Measure =>
  added({ description, example }, z.int(), sql`sum(${column})`);

/** An amount in reais that adds up. @param condition adds only the facts for which it is true */
export const summed = (description: string, example: number, value: Column | SQL, condition?: SQL): Measure =>
  added(
    { description, example },
    z.number(),
    sql`round(${filtered(sql`sum(${value})`, condition)}, 2)`,
    "0.00",
  );

/** Quantities keep the decimals that they need. */
export const quantity = (description: string, example: number, column: Column): Measure =>
  added({ description, example }, z.number(), sql`trim_scale(sum(${column}))`);

/** A number that is null without what it is made of. */
export const maybe = (description: string, example: number, aggregate: Measure["sql"]): Measure => ({
  description,
  example,
  field: z.number().nullable(),
  sql: aggregate,
  empty: "null",
  isDefault: true,
});

/** An amount for each of a number of records; null without records. */
export const average = (description: string, example: number, total: Column, records: SQL): Measure =>
  maybe(description, example, sql`round(sum(${total}) / nullif(sum(${records}), 0), 2)`);

/** The number of different values. */
export const different = (description: string, example: number, expression: SQL): Measure => ({
  description,
  example,
  field: z.int(),
  sql: sql`count(distinct ${expression})`,
  empty: "0",
  isDefault: false,
  readsFacts: true,
});

/** The first or the last time. */
export const extreme = (description: string, which: "min" | "max", at: Column): Measure => ({
  description,
  field: instant().nullable(),
  sql: sql`${sql.raw(which)}(${at}) filter (where isfinite(${at}))`,
  empty: "null",
  isDefault: false,
  readsFacts: true,
});

/** A filter that a column equals. */
export const equal = (parameter: z.ZodType, column: Column): Filter => ({
  parameter,
  condition: (value) => sql`${column} = ${value}`,
});

/** A filter by the least value of a column. */
export const atLeast = (parameter: z.ZodType, column: Column): Filter => ({
  parameter,
  condition: (value) => sql`${column} >= ${value}`,
});

/** A filter by a text of people, which is sent in each of its Unicode forms (I4). */
export const equalText = (parameter: z.ZodType, column: Column): Filter => ({
  parameter,
  condition: (value) => sql`${column} = any(${value}::text[])`,
});

/** Adds to a parameter that its values are those of a rollup (I8). */
export const existing = <Of extends z.ZodType>(
  parameter: Of,
  value: Column,
  { records, estabelecimento_id: unit }: { records: Column; estabelecimento_id: Column },
): Of => withMetadata(parameter, { sources: [{ value, records, unit }] });

/** A filter that finds no id which the answer would not show (A11). */
export const equalProfessional = (parameter: z.ZodType, id: Column): Filter => ({
  parameter,
  condition: (value, { scope }) =>
    scope.hidesPersonalData ? sql`(${id} = ${value} and ${isShownId(id)})` : sql`${id} = ${value}`,
});

export const cycleFilters = ({ dia_semana, hora }: TimeColumns): Record<string, Filter> => ({
  dia_semana: equal(
    integer({ min: 1, max: 7, example: 6, description: "Only this weekday: 1 is Monday." }).optional(),
    dia_semana,
  ),
  hora_min: atLeast(
    integer({ min: 0, max: 23, example: 9, description: "From this hour on." }).optional(),
    hora,
  ),
  hora_max: {
    parameter: integer({
      min: 0,
      max: 23,
      example: 18,
      description: "Until the end of this hour.",
    }).optional(),
    condition: (value) => sql`${hora} <= ${value}`,
  },
});
