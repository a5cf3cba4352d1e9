import pg from "pg";
import { KINDS, type Kind, PLACES, type Place } from "./places.ts";

export const literal = pg.escapeLiteral;

/** Settings of each transaction: no notices of temporary objects, no time limit, times in UTC. */
export const SESSION =
  "set local client_min_messages = warning; set local statement_timeout = 0; set local timezone = 'UTC'";

/** Temporary functions and tables: the persons, their names and visits, and the rows that concern them. */
export const PREPARE = `
create or replace function pg_temp.words(value text) returns text language sql immutable as $$
  -- Letters without case and accents, one space between words. In JSON, \\n is a line break and no letter.
  select ' ' || btrim(regexp_replace(name_sort_key(regexp_replace(value, '\\\\(?:b|f|n|r|t)', ' ', 'g')), '[[:space:][:punct:]]+', ' ', 'g')) || ' '
$$;
create or replace function pg_temp.has_name(value text, names text[]) returns boolean language sql immutable as $$
  select exists (select from unnest(names) as one where strpos(pg_temp.words(value), one) > 0)
$$;
-- Everything in a payload that is beneath a key with the word.
create or replace function pg_temp.beneath(payload jsonb, word text) returns setof text language sql immutable as $$
  select found #>> '{}' from jsonb_path_query(payload, format(
    'strict $.** ? (@.type() == "object").keyvalue() ? (@.key like_regex "%s" flag "i").value.** ? (@.type() != "object" && @.type() != "array")',
    word)::jsonpath) as found
$$;
-- A payload without the person: without values that have a name and, beneath a key with the word, without the ids, the
-- objects that hold an id or a name, and, if all_beneath, without everything.
create or replace function pg_temp.without_person(
  value jsonb, word text, ids text[], names text[], all_beneath boolean, is_beneath boolean default false
) returns jsonb language plpgsql immutable as $$
begin
  if jsonb_typeof(value) = 'object' then
    if is_beneath and exists (select from jsonb_each(value) as e (key, item)
      where jsonb_typeof(item) in ('string', 'number') and (item #>> '{}' = any(ids) or pg_temp.has_name(item #>> '{}', names))) then
      return 'null';
    end if;
    return (select coalesce(jsonb_object_agg(key, pg_temp.without_person(item, word, ids, names, all_beneath, is_beneath or key ~* word)), '{}')
      from jsonb_each(value) as e (key, item));
  elsif jsonb_typeof(value) = 'array' then
    return (select coalesce(jsonb_agg(pg_temp.without_person(item, word, ids, names, all_beneath, is_beneath) order by n), '[]')
      from jsonb_array_elements(value) with ordinality as e (item, n));
  elsif is_beneath and (all_beneath or value #>> '{}' = any(ids)) then
    return 'null';
  elsif jsonb_typeof(value) = 'string' and pg_temp.has_name(value #>> '{}', names) then
    return 'null';
  end if;
  return value;
end $$;
create temporary table person (id text primary key) on commit drop;
create temporary table returned_name (person text, stored text) on commit drop;
create temporary table person_name (person text, name text, last_word text, is_unique boolean) on commit drop;
create temporary table person_visit (person text, visit text) on commit drop;
create temporary table person_row (person text, in_table text, id bigint, how text) on commit drop;`;

const entries = Object.entries;
const kinds: Kind[] = ["client", "professional"];

/** The stored names of everybody else, without those of `person`. */
const otherNames = (kind: Kind): string =>
  kinds
    .flatMap((other) =>
      entries(KINDS[other].names).map(([table, column]) => {
        const key = KINDS[other].keys[table] as string;
        const others = other === kind ? ` and not exists (select from person where person.id = ${key})` : "";
        return `select distinct ${literal(other)} as kind, ${column} as stored from ${table}
          where ${column} is not null and ${key} is not null${others}`;
      }),
    )
    .join(" union all ");

/** A client's name that a professional has, too, is the professional's: ledger entries name who is paid. */
const findNames = (kind: Kind): string => {
  const own = entries(KINDS[kind].names)
    .map(([table, column]) => {
      const key = KINDS[kind].keys[table] as string;
      return `select person.id as person, ${column} as stored from ${table} join person on person.id = ${table}.${key}`;
    })
    .concat("select person, stored from returned_name")
    .join(" union ");
  return `
    with own as materialized (
      select distinct person, pg_temp.words(stored) as name from (${own}) as own where stored is not null
    ), others as materialized (
      select distinct kind, pg_temp.words(stored) as name from (${otherNames(kind)}) as others
    )
    insert into person_name
    select person, name, substring(name from '([^ ]+) $'), name ~ '^ [^ ]+ [^ ]+' and not exists (select from others where others.name = own.name)
    from own
    where name ~ '[^ ]' and (${kind === "professional"} or not exists (
      select from others where others.name = own.name and others.kind = 'professional'))`;
};

const KEYS = new Set(kinds.flatMap((kind) => Object.values(KINDS[kind].keys)));

/** The columns of a place in which a person may be mentioned. */
export const textsOf = ({ columns }: Place) => columns.filter((column) => !KEYS.has(column.name));

/** Finds the rows in a table that are not the person's own, and mention an id, a visit or a name. */
const findMentions = (kind: Kind, place: Place): string[] => {
  const { keys, word } = KINDS[kind];
  const key = keys[place.table];
  const found = (column: string, how: string, from: string) => `
    insert into person_row
    select distinct found.person, ${literal(place.table)}, r.id, ${literal(how)}
    from ${place.table} as r
    cross join lateral (${from}) as found
    where r.${column} is not null${key ? ` and not exists (select from person where person.id = r.${key})` : ""}`;
  return textsOf(place).flatMap(({ name: column, isJson }) => [
    ...(isJson
      ? [
          found(
            column,
            "id",
            `select id as person from pg_temp.beneath(r.${column}, ${literal(word)}) as id join person using (id)`,
          ),
        ]
      : []),
    // A row with a client of its own belongs to no other client's visit.
    ...(isJson && kind === "client" && !key
      ? [
          found(
            column,
            "visit",
            `select person from pg_temp.beneath(r.${column}, 'transac') as visit join person_visit using (visit)`,
          ),
        ]
      : []),
    found(
      column,
      "name",
      `select n.person from (select pg_temp.words(r.${column}::text) as text offset 0) as w
       cross join lateral (select distinct word from unnest(string_to_array(w.text, ' ')) as word) as t
       join person_name as n on n.last_word = t.word and n.is_unique and strpos(w.text, n.name) > 0`,
    ),
  ]);
};

/** Finds the rows whose key is the person's id. */
export const findOwnRows = async (db: pg.Client, kind: Kind): Promise<void> => {
  await db.query("delete from person_row where how = 'key'");
  for (const [table, key] of entries(KINDS[kind].keys))
    await db.query(
      `insert into person_row select person.id, ${literal(table)}, r.id, 'key' from ${table} as r join person on person.id = r.${key}`,
    );
};

/** The name of an erased person that came back without the id. */
export interface ReturnedName {
  /** The person's hash in the receipt. */
  hash: string;
  name: string;
}

/** Fills the temporary tables for these persons. Locks nothing: loaders continue while it reads every payload. */
export const findRows = async (db: pg.Client, kind: Kind, ids: string[], returned: ReturnedName[] = []) => {
  await db.query(PREPARE);
  await db.query("insert into person select distinct unnest($1::text[])", [ids]);
  await db.query("insert into returned_name select * from unnest($1::text[], $2::text[])", [
    returned.map(({ hash }) => hash),
    returned.map(({ name }) => name),
  ]);
  await db.query("analyze person");
  await findOwnRows(db, kind);
  await db.query(findNames(kind));
  if (kind === "client")
    await db.query(`insert into person_visit
      select cliente_salon_id, salon_id from transacoes join person on person.id = cliente_salon_id
      union select cliente_id, transacao_id from vendas_produto join person on person.id = cliente_id`);
  await db.query("analyze person_name; analyze person_visit");
  for (const place of PLACES) for (const statement of findMentions(kind, place)) await db.query(statement);
};
