import { and, type Column, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { type Db, sqlState } from "../../core/database.ts";
import { Refusal } from "../../core/errors.ts";
import { metadataOf, type ValueSource } from "../../core/schema-metadata.ts";
import { numberLiteral, whereClause } from "../../platform/db/conditions.ts";
import { jsonElements } from "../../platform/db/json-sql.ts";
import type { ReadRequest } from "../../platform/db/read-request.ts";
import type { Scope } from "../../platform/db/scope.ts";
import { statement } from "../../platform/db/statement.ts";
import { escapeCharacters, escapeInvisible } from "../../platform/http/prefer.ts";
import { type Candidate, nearest } from "./nearest.ts";

const asText = (column: Column) => (column.dataType === "string" ? sql`${column}` : sql`${column}::text`);

/** The conditions on a row: what the reader may see of it, and of a rollup that it is of all time. */
const isReadable = (source: ValueSource, { ownUnits, hidesPersonalData }: Scope): SQL | undefined => {
  const { unit, records, isShown } = source;
  return and(
    unit && ownUnits.value && sql`${unit} = ${ownUnits.value}`, // mistake: value-of-any-unit
    records && sql`grain = 'all'`,
    hidesPersonalData ? isShown : undefined,
  );
};

/** A condition on whether one of the values occurs. It reads one index entry of each value and column. */
const occurs = (sources: ValueSource[], wanted: SQL, scope: Scope): SQL =>
  sql.join(
    sources.map((source) => {
      const where = whereClause(
        sql`${asText(source.value)} = any(${wanted}::text[])`,
        isReadable(source, scope),
      );
      const { value, records } = source;
      // Rows of several writers may cancel each other.
      return records
        ? sql`(select sum(${records}) > 0 from ${value.table}${where}) is true`
        : sql`exists (select from ${value.table}${where})`;
    }),
    sql` or `,
  );

/** The chain has eleven units, and some cost centres and accounts. Of a rollup, the most frequent values. */
const MAX_VALUES = 5000;

/** The values of a column, by a loose index scan: the cost does not grow with the table. */
const distinctValues = (column: Column, ofUnits: SQL | undefined): SQL => {
  const next = (condition: SQL) => sql`(
    select ${column}
    from ${column.table}
    ${whereClause(condition, ofUnits)}
    order by 1
    limit 1
  )`;
  return sql`(
    with recursive known(value) as (
      select ${next(sql`${column} is not null`)}
      union all
      select ${next(sql`${column} > known.value`)}
      from known
      where known.value is not null
    )
    select value::text, null as name
    from known
    where value is not null
    limit ${numberLiteral(MAX_VALUES)}
  )`;
};

const candidatesOf = (sources: ValueSource[], scope: Scope): SQL => {
  const all = sources.map((source) => {
    const { value, name, records } = source;
    const readable = isReadable(source, scope);
    if (!name && !records)
      return sql`select value, name, 0 as records from ${distinctValues(value, readable)} as known`;
    const columns = sql`${value}::text as value, ${name ?? sql`null`} as name`;
    const from = sql`from ${value.table}${whereClause(readable)}`;
    return records
      ? sql`select ${columns}, sum(${records}) as records ${from} group by 1, 2 having sum(${records}) > 0`
      : sql`select ${columns}, 0 as records ${from}`;
  });
  return sql`
    select value, max(name) as name
    from (${sql.join(all, sql` union all `)}) as known
    where value <> ''
    group by value
    order by sum(records) desc
    limit ${numberLiteral(MAX_VALUES)}`;
};

const MAX_NAMED = 20;
/** No filter accepts a longer value. */
const MAX_LENGTH = 100;

/** What texts that look the same have in common. */
const appearance = (text: string) => text.normalize("NFC").replaceAll(/\p{Zs}/gu, " ");
/** What may tell them apart: accents in NFD, and spaces that are not the usual one. */
const INCONSPICUOUS = /\p{M}|(?! )\p{Zs}/gu;

const unknownValue = (name: string, value: string, candidates: Candidate[]): Refusal => {
  const possible = candidates.filter((one) => one.value.length <= MAX_LENGTH);
  const list = nearest(value, possible, MAX_NAMED).map((one) =>
    one.name === null
      ? JSON.stringify(one.value)
      : `${JSON.stringify(one.value)} (${one.name.slice(0, MAX_LENGTH)})`,
  );
  const advice =
    list.length > 0 ? `Existing values, nearest first: ${list.join(", ")}` : "There are no values";
  const message = escapeInvisible(`\`${name}\` ${JSON.stringify(value)} does not exist. ${advice}.`);
  const isAmbiguous = possible.some((one) => appearance(one.value) === appearance(value));
  return new Refusal(400, isAmbiguous ? escapeCharacters(message, INCONSPICUOUS) : message);
};

interface MissingValue {
  name: string;
  candidates: Candidate[];
}

/**
 * Builds a check of parameters whose values must exist (I8). It is a statement of its own, which returns the
 * first value that does not exist, with those that do.
 */
export const existenceCheck = (filters: Record<string, z.ZodType>) => {
  const all = Object.entries(filters).flatMap(([name, filter]) => {
    const { sources, howToFind } = metadataOf(filter);
    return sources ? [{ name, sources, howToFind }] : [];
  });
  const toStatement = statement<Record<string, unknown>>((placeholders, scope) => {
    const cases = all.flatMap(({ name, sources, howToFind }) => {
      const wanted = placeholders[name];
      if (wanted === undefined) return [];
      const candidates = howToFind ? sql`''` : jsonElements(candidatesOf(sources, scope));
      const missing = sql`${sql.raw(`'{"name":"${name}","candidates":['`)} || ${candidates} || ']}'`;
      return [sql`when not (${occurs(sources, wanted, scope)}) then ${missing}`];
    });
    return sql`select case ${sql.join(cases, sql` `)} end as body`;
  });
  return async (db: Db, request: ReadRequest, parameters: Record<string, unknown>): Promise<void> => {
    const checked = all.flatMap(({ name }) =>
      parameters[name] === undefined ? [] : [[name, [parameters[name]].flat()]],
    );
    if (checked.length === 0) return;
    // Without the check, the empty answer is still right. A wrong statement (SQLSTATE class 42) is a bug.
    const row = await db<{ body: Uint8Array | null }>(
      toStatement(request, Object.fromEntries(checked)),
    ).catch((error) => {
      if (sqlState(error)?.startsWith("42")) throw error;
      return undefined;
    });
    if (!row?.body) return;
    const missing: MissingValue = JSON.parse(new TextDecoder().decode(row.body));
    // Of a text in several forms, the last is the one that was sent.
    const sent = [parameters[missing.name]].flat().at(-1);
    const howToFind = all.find(({ name }) => name === missing.name)?.howToFind;
    if (howToFind) throw new Refusal(400, `\`${missing.name}\` does not exist. ${howToFind}.`);
    throw unknownValue(missing.name, String(sent), missing.candidates);
  };
};
