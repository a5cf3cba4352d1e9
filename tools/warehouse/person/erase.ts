import pg from "pg";
import { recordCommand } from "../../changes.ts";
import { accessesOf } from "../client-reads.ts";
import { retryWhenLocked } from "../databases.ts";
import { KINDS, type Kind, PLACES, type Place } from "./places.ts";
import type { ErasureKey, Receipt } from "./receipts.ts";
import { findOwnRows, findRows, literal, type ReturnedName, SESSION, textsOf } from "./search.ts";

const name = pg.escapeIdentifier;

/** Removes the person from the rows with their key. Money, dates and units stay. */
const eraseOwnRows = (kind: Kind, table: string, key: string): string => {
  const isOwn = `${table}.${key} in (select id from person)`;
  if (kind === "client") {
    const columns = PLACES.find((place) => place.table === table)?.columns ?? [];
    return `update ${table} set ${columns.map((column) => `${column.name} = ${column.mask}`).join()} where ${isOwn}`;
  }
  return table === "profissionais"
    ? `delete from ${table} where ${isOwn}`
    : `update ${table} set ${key} = null where ${isOwn}`;
};

/** Removes the person from the other rows that mention them. Forgets the rows in which nothing changed. */
const eraseMentions = (kind: Kind, place: Place): string => {
  const { table } = place;
  const { keys, word } = KINDS[kind];
  const columns = textsOf(place);
  const old = columns.map((column) => `${table}.${column.name}`);
  const cleaned = columns.map(({ name: column, isJson }) =>
    isJson
      ? `pg_temp.without_person(t.${column}, ${literal(word)}, who.ids, who.names, who.all_beneath) as ${column}`
      : `case when pg_temp.has_name(t.${column}, who.names) then null else t.${column} end as ${column}`,
  );
  const hasAllNames = keys[table] ? "false" : "r.how in ('id', 'visit')";
  return `
    with who as (
      select r.id, array_agg(distinct r.person) as ids, bool_or(r.how = 'visit') as all_beneath,
        coalesce(array_agg(distinct n.name) filter (where n.is_unique or ${hasAllNames}), '{}') as names
      from person_row as r
      left join person_name as n using (person)
      where r.in_table = ${literal(table)} and r.how <> 'key'
      group by r.id
    ), cleaned as (
      select t.id, ${cleaned.join()} from ${table} as t join who using (id)
    ), changed as (
      update ${table}
      set ${columns.map((column) => `${column.name} = cleaned.${column.name}`).join()}
      from cleaned
      where cleaned.id = ${table}.id and (${old.join()}) is distinct from (${columns.map((column) => `cleaned.${column.name}`).join()})
      returning ${table}.id
    )
    delete from person_row
    where in_table = ${literal(table)} and how <> 'key' and id not in (select id from changed)`;
};

/** Deletes sums of nothing, which still have an id or a name as key. Loaders are locked out. */
const deleteEmptySums = async (db: pg.Client, tables: string[]): Promise<string[]> => {
  const { rows } = await db.query<{ rollup: string; keys: string[]; measures: string[] }>(
    "select rollup, keys, measures from rollups where source = any($1)",
    [tables],
  );
  for (const { rollup, keys, measures } of rows) {
    const isEmpty = ["records", ...measures].map((measure) => `sum(${name(measure)}) = 0`).join(" and ");
    await db.query(`delete from ${name(rollup)} where ctid in (
      select unnest(array_agg(ctid)) from ${name(rollup)}
      group by ${["grain", "starts_on", ...keys].map(name).join()} having ${isEmpty})`);
  }
  return rows.map(({ rollup }) => rollup);
};

interface Options {
  kind: Kind;
  ids: string[];
  /** Of persons in receipts, which may have several keys. */
  returned?: ReturnedName[];
  key: ErasureKey;
  /** As it is recorded (A15): the name of the command. */
  command: string;
  progress: (line: string) => void;
  /** Receives the receipts as soon as the erasure is committed. */
  report: (receipts: Receipt[]) => void;
}

const foundTables = async (db: pg.Client): Promise<string[]> => {
  const { rows } = await db.query("select distinct in_table from person_row order by 1");
  return rows.map(({ in_table }) => in_table);
};

/** Locks the tables and reads the keys again. Readers continue, and loaders wait, so that no sum changes. */
const lockTables = async (db: pg.Client, kind: Kind): Promise<string[]> => {
  const found = await foundTables(db);
  if (found.length === 0) return [];
  // A loader may have written the first row of the person in another table during the search.
  const tables = [...new Set([...found, ...Object.keys(KINDS[kind].keys)])].sort();
  await db.query(`lock table ${tables.join()} in share row exclusive mode`);
  await findOwnRows(db, kind);
  return foundTables(db);
};

/**
 * Puts the hash into the accesses that name the client by id or name, and into the reads of the client's records, which
 * nothing finds once the rows lose the id.
 */
const hashAccesses = async (db: pg.Client, { ids, returned = [], key }: Options): Promise<boolean> => {
  const hashOf = new Map([
    ...returned.map(({ hash }) => [hash, hash] as const),
    ...ids.map((id) => [id, key.hashOf("client", id)] as const),
  ]);
  const { rowCount } = await db.query(
    `with known as materialized (
       select * from unnest($1::text[], $2::text[]) as known (client, hash)
     ), typed as materialized (
       select id, pg_temp.words(cliente_id) as text from acessos where cliente_id !~ '^[0-9a-f]{64}$'
     ), found as (
       ${accessesOf("select client from known")}
       union
       select typed.id, person
       from typed
       cross join unnest(string_to_array(text, ' ')) as word
       join person_name on last_word = word and is_unique and strpos(text, name) > 0
     ), hashed as (
       update acessos set cliente_id = hash
       from found join known using (client)
       where found.id = acessos.id and cliente_id is distinct from hash
       returning client, acessos.id as row
     )
     insert into person_row select client, 'acessos', row, 'key' from hashed`,
    [[...hashOf.keys()], [...hashOf.values()]],
  );
  return Boolean(rowCount);
};

/** In the caller's transaction. @returns the tables that changed */
const eraseFrom = async (db: pg.Client, options: Options): Promise<string[]> => {
  const { kind, ids, returned } = options;
  await findRows(db, kind, ids, returned);
  const tables = await lockTables(db, kind);
  const hasAccesses = kind === "client" && (await hashAccesses(db, options));
  for (const [table, column] of Object.entries(KINDS[kind].keys))
    if (tables.includes(table)) await db.query(eraseOwnRows(kind, table, column));
  for (const place of PLACES) if (tables.includes(place.table)) await db.query(eraseMentions(kind, place));
  const rollups = await deleteEmptySums(db, tables);
  return [...tables, ...(hasAccesses ? ["acessos"] : []), ...rollups];
};

/** With another key, one person would have two hashes. @throws if there are erasures of another key */
const refuseOtherKey = async (db: pg.Client, key: ErasureKey): Promise<void> => {
  const { rows } = await db.query("select key_id from erasures where key_id <> $1 limit 1", [key.id]);
  if (rows.length > 0)
    throw new Error(
      `ERASURE_KEY is the key ${key.id}, but earlier erasures used the key ${rows[0].key_id}. Set that one. Nothing was changed.`,
    );
};

/** The receipts of persons who are or were here. Records the erasure of those who are here. */
const receiptsOf = async (
  db: pg.Client,
  { kind, ids, returned = [], key, command }: Options,
): Promise<Receipt[]> => {
  const idOf = new Map(ids.map((id) => [key.hashOf(kind, id), id]));
  for (const { hash } of returned) if (!idOf.has(hash)) idOf.set(hash, hash);
  const { rows: counts } = await db.query(
    "select person, in_table, count(distinct id)::int as count from person_row group by 1, 2 order by 1, 2",
  );
  const rowsOf = Map.groupBy(counts, ({ person }) => person as string);
  const found = [...idOf].flatMap(([hash, id]) => (rowsOf.has(id) ? [hash] : []));
  await db.query(
    "insert into erasures (kind, hash, key_id) select $1, unnest($2::text[]), $3 on conflict do nothing",
    [kind, found, key.id],
  );
  await recordCommand(db, command, kind, found);
  const { rows: known } = await db.query(
    "select hash, erased_at from erasures where kind = $1 and hash = any($2)",
    [kind, [...idOf.keys()]],
  );
  const { rows: names } = await db.query("select distinct person, name from person_name where is_unique");
  const namesOf = Map.groupBy(names, ({ person }) => person as string);
  return known.map(({ hash, erased_at }) => {
    const id = idOf.get(hash) as string;
    return {
      kind,
      hash,
      names: (namesOf.get(id) ?? []).map(({ name: one }) => key.hashOf("name", one)),
      key_id: key.id,
      erased_at: erased_at.toISOString(),
      rows: Object.fromEntries((rowsOf.get(id) ?? []).map(({ in_table, count }) => [in_table, count])),
    };
  });
};

/**
 * Erases persons in one transaction (A16): names and ids leave every table and rollup, money and visits stay.
 * A person who was erased before has a receipt without rows, and one who was never here has none.
 */
export const erasePersons = async (db: pg.Client, options: Options): Promise<Receipt[]> => {
  const { key, progress, report } = options;
  let [receipts, tables]: [Receipt[], string[]] = [[], []];
  await retryWhenLocked(
    db,
    () => "The erasure",
    progress,
    async () => {
      await db.query(SESSION);
      if (options.returned === undefined) await refuseOtherKey(db, key);
      tables = await eraseFrom(db, options);
      receipts = await receiptsOf(db, options);
    },
  );
  report(receipts);
  // Old versions of rows, and statistics of columns, still have names and ids.
  const vacuum = `vacuum analyze ${tables.map(name).join()}`;
  if (tables.length > 0)
    await db.query(vacuum).catch((error: Error) => {
      throw new Error(`The erasure is done, but this failed: ${vacuum}. Run it by hand. ${error.message}`);
    });
  return receipts;
};
