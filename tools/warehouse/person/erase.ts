import pg from "pg";
import { recordCommand } from "../../changes.ts";
import { accessesOf } from "../client-reads.ts";
import { inTransaction, retryWhenLocked } from "../databases.ts";
import type { TextTable } from "./catalogue.ts";
import { KINDS, type Kind, PLACES } from "./places.ts";
import { remains } from "./present.ts";
import type { ErasureKey, Receipt } from "./receipts.ts";
import { findOwnRows, findRows, literal, type ReturnedName, SESSION } from "./search.ts";

const name = pg.escapeIdentifier;

/** A number of rows of a person, in a table or a column. */
interface PersonCount {
  person: string;
  place: string;
  count: number;
}

const KEYS = new Set(Object.values(KINDS).flatMap(({ keys }) => Object.values(keys)));

/** How many rows of others an erasure may change without the option that allows more. */
const MAX_OTHERS = 100;

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

/** How a column changes: in any row, only in the person's own rows, or never. */
const changeOf = (
  kind: Kind,
  table: string,
  column: TextTable["columns"][number],
): "any" | "own" | "never" => {
  const personal = PLACES.find((place) => place.table === table)?.columns ?? [];
  if (column.isJson) return "any";
  if (!column.isNullable || column.name === KINDS[kind].keys[table]) return "never";
  return personal.some(({ name: one }) => one === column.name) && !KEYS.has(column.name) ? "any" : "own";
};

const named = (columns: { name: string }[]) =>
  `array[${columns.map((column) => literal(column.name)).join()}]::text[]`;

/** Removes the person from the rows that have or mention them. Forgets the rows of others in which nothing changed. */
const eraseMentions = (kind: Kind, { table, columns, document }: TextTable): string => {
  const { keys, word } = KINDS[kind];
  const by = Map.groupBy(columns, (column) => changeOf(kind, table, column));
  const [any, own, never] = [by.get("any") ?? [], by.get("own") ?? [], by.get("never") ?? []];
  const isChanged = (column: string) =>
    `cleaned.new -> ${literal(column)} <> cleaned.old -> ${literal(column)}`;
  const set = [...any, ...own].map(({ name: column, isJson }) => ({
    changes: own.some((one) => one.name === column) ? `is_own and ${isChanged(column)}` : isChanged(column),
    column: name(column),
    value: `cleaned.new ${isJson ? "->" : "->>"} ${literal(column)}`,
  }));
  // A visit is also of others: there, only the objects with the professional's id are the professional's.
  const hasOwnRows = table !== "transacoes" && keys[table] === undefined;
  return `
    with who as (
      select r.id, bool_or(how = 'key') as is_own, row(${literal(word)}, array_agg(distinct r.person), array_agg(distinct pg_temp.member_pattern(r.person)),
        coalesce(array_agg(distinct n.name) filter (where n.is_unique), '{}'),
        coalesce(array_agg(distinct n.name) filter (where not n.is_unique and r.how in ('key'${keys[table] ? "" : ", 'id', 'visit'"})), '{}'),
        coalesce(array_agg(distinct n.name) filter (where not n.is_unique and r.how = 'id' and ${hasOwnRows}), '{}'),
        coalesce(array_agg(distinct pg_temp.cpf_pattern(c.cpf)) filter (where c.is_unique), '{}'), bool_or(how = 'visit'))::pg_temp.traces as traces
      from person_row as r
      left join person_name as n using (person)
      left join person_cpf as c using (person)
      where r.in_table = ${literal(table)}
      group by r.id
    ), cleaned as materialized (
      select r.id, is_own, ${document} as old, pg_temp.without_person(${document}, traces) ||
        pg_temp.without_person((${document}) - ${named(any)}, jsonb_populate_record(traces, '{"row_names": []}')) as new from ${table} as r join who using (id)
    ), changed as (
      update ${table} as r
      set ${set.map((one) => `${one.column} = case when ${one.changes} then ${one.value} else r.${one.column} end`).join()}
      from cleaned
      where cleaned.id = r.id and (${set.map(({ changes }) => changes).join(" or ")})
      returning r.id
    ), remains as (
      insert into person_left
      select distinct r.person, ${literal(`${table}.`)} || key, cleaned.id
      from cleaned
      cross join jsonb_each(old) as e (key, value)
      join person_row as r on r.in_table = ${literal(table)} and r.id = cleaned.id and (r.how = 'key' or key = any(r.columns))
      where (key = any(${named(never)}) or not is_own and key = any(${named(own)})) and new -> key <> value
    )
    delete from person_row
    where in_table = ${literal(table)} and how <> 'key' and id not in (select id from changed)`;
};

/** Counts by person and table the rows of others that would change. */
const rowsOfOthers = async (db: pg.Client, kind: Kind, tables: TextTable[]): Promise<PersonCount[]> => {
  const counts = tables
    .filter(({ isPlace }) => isPlace)
    .map(({ table, columns }) => {
      // Where no column has an id, the rows with the person's id in a payload are the person's, too.
      const own = KINDS[kind].keys[table] ? "false" : "own.person = r.person and own.how in ('id', 'visit')";
      return `select person, in_table as place, count(distinct id)::int as count from person_row as r
        where in_table = ${literal(table)} and columns && ${named(columns.filter((column) => changeOf(kind, table, column) === "any"))}
          and not exists (select from person_row as own where own.in_table = r.in_table and own.id = r.id and (own.how = 'key' or ${own}))
        group by 1, 2`;
    });
  return (await db.query<PersonCount>(`${counts.join(" union all ")} order by 1, 2`)).rows;
};

/** Counts what is left of the persons, by column: what was not changed, and other tables, whose sums have followed. */
const countLeft = async (db: pg.Client): Promise<PersonCount[]> => {
  const { rows } = await db.query<{ column: string }>(
    "select distinct in_column as column from person_value",
  );
  const values = rows.map(({ column }) => {
    const [table, field] = column.split(".") as [string, string];
    return `select v.person, ${literal(column)}, count(*) from ${table} as r
      join (select distinct person, value from person_value where in_column = ${literal(column)}) as v on v.value = r.${name(field)}::text group by 1`;
  });
  const left = "select person, in_column as place, count(distinct id) from person_left group by 1, 2";
  return (
    await db.query<PersonCount>(
      `select person, place, count::int from (${[left, ...values].join(" union all ")}) as remains order by 1, 2`,
    )
  ).rows;
};

/** The rollups, with the table of loaders that each follows: of a rollup of facts, that of the facts. */
const ROLLUPS = `(
  select rollup, keys, measures, coalesce(facts.source, rollups.source) as source
  from rollups left join facts on facts = rollups.source
) as summed`;

/** Deletes sums of nothing, which still have an id or a name as key. Loaders are locked out. @returns the tables that follow others */
const deleteEmptySums = async (db: pg.Client, tables: string[]): Promise<string[]> => {
  const { rows } = await db.query<{ rollup: string; keys: string[]; measures: string[] }>(
    `select rollup, keys, measures from ${ROLLUPS} where source = any($1)`,
    [tables],
  );
  for (const { rollup, keys, measures } of rows) {
    const isEmpty = ["records", ...measures].map((measure) => `sum(${name(measure)}) = 0`).join(" and ");
    await db.query(`delete from ${name(rollup)} where ctid in (
      select unnest(array_agg(ctid)) from ${name(rollup)}
      group by ${["grain", "starts_on", ...keys].map(name).join()} having ${isEmpty})`);
  }
  const { rows: facts } = await db.query<{ name: string }>(
    "select facts as name from facts where source = any($1)",
    [tables],
  );
  return [...facts.map((one) => one.name), ...rows.map(({ rollup }) => rollup)];
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
  /** Receives the receipts as soon as the erasure is committed. @param refused the persons of whom nothing was changed */
  report: (receipts: Receipt[], refused: number) => void;
  /** Whether more rows of others may change than usual. */
  others?: boolean;
}

const sumOf = (counts: PersonCount[]) => counts.reduce((sum, { count }) => sum + count, 0);

const listed = (counts: PersonCount[]): string =>
  [...Map.groupBy(counts, ({ place }) => place)].map(([place, of]) => `${place} ${sumOf(of)}`).join(", ");

/** What identifies the persons in columns in which earlier erasures left something. */
const rememberedNames = async (db: pg.Client, { kind, ids, key }: Options): Promise<ReturnedName[]> => {
  const { rows } = await db.query(
    "select hash, names, left_in from erasures where kind = $1 and hash = any($2) and left_in <> '{}'",
    [kind, ids.map((id) => key.hashOf(kind, id))],
  );
  return (await remains(db, kind, rows, key)).returned;
};

/** Says what will change of others, and which names are not searched for. @returns the persons of whom too much would change */
const announce = async (
  db: pg.Client,
  tables: TextTable[],
  { kind, key, progress, others }: Options,
): Promise<Set<string>> => {
  const counts = await rowsOfOthers(db, kind, tables);
  progress(`Rows of others that change: ${listed(counts) || "none"}.`);
  const { rows: shared } = await db.query(
    "select from person_name where not is_unique union all select from person_cpf where not is_unique limit 1",
  );
  if (shared.length > 0)
    progress(
      "In rows of others, a name or CPF is not searched for: the name is one word, or something or somebody else has it. Search for it by hand.",
    );
  const refused = [...Map.groupBy(counts, ({ person }) => person)].filter(
    ([, of]) => !others && sumOf(of) > MAX_OTHERS,
  );
  for (const [person, of] of refused)
    progress(
      `More than ${MAX_OTHERS} rows of others would change for ${kind} ${key.hashOf(kind, person)}: ${listed(of)}. Nothing of this person was changed. Look at these rows (person export names them), then run person erase with --others yes.`,
    );
  return new Set(refused.map(([person]) => person));
};

/** In the caller's transaction. @returns the tables with text, and how many persons are left out */
const findPersons = async (db: pg.Client, options: Options) => {
  const { kind, ids } = options;
  const remembered = options.returned ?? (await rememberedNames(db, options));
  const idOf = new Map(ids.map((id) => [options.key.hashOf(kind, id), id]));
  const returned = remembered.map(({ hash, name: one }) => ({ hash: idOf.get(hash) ?? hash, name: one }));
  const tables = await findRows(db, kind, ids, returned);
  const refused = await announce(db, tables, options);
  // Without them, the others are searched for again: their names may be those of persons who now stay.
  if (refused.size > 0)
    await findRows(
      db,
      kind,
      ids.filter((id) => !refused.has(id)),
      returned.filter(({ hash }) => !refused.has(hash)),
    );
  return { tables, refused };
};

/** Says what an erasure would change, and changes nothing. @returns whether it would be refused */
export const previewErasure = (db: pg.Client, options: Options): Promise<boolean> =>
  inTransaction(db, async () => {
    await db.query(SESSION);
    return (await findPersons(db, options)).refused.size > 0;
  });

const foundTables = async (db: pg.Client): Promise<string[]> => {
  const { rows } = await db.query("select distinct in_table from person_row order by 1");
  return rows.map(({ in_table }) => in_table);
};

/** Locks the tables and reads the keys again. Readers continue, and loaders wait, so that no sum changes. @returns the locked tables */
const lockTables = async (db: pg.Client, kind: Kind): Promise<string[]> => {
  // Sums of nothing may still have a person whom somebody has removed from the source by hand.
  const { rows } = await db.query<{ source: string }>(
    `select distinct source from ${ROLLUPS} join person_value on split_part(in_column, '.', 1) = rollup`,
  );
  const found = [...(await foundTables(db)), ...rows.map(({ source }) => source)];
  if (found.length === 0) return [];
  // A loader may have written the first row of the person in another table during the search.
  const tables = [...new Set([...found, ...Object.keys(KINDS[kind].keys)])].sort();
  await db.query(`lock table ${tables.join()} in share row exclusive mode`);
  await findOwnRows(db, kind);
  return tables;
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
       select id, pg_temp.words(cliente_id) as words from acessos where cliente_id !~ '^[0-9a-f]{64}$'
     ), found as (
       ${accessesOf("select client from known")}
       union
       select typed.id, n.person
       from typed
       cross join unnest(string_to_array(words, ' ')) as word
       join needle as n on n.last_word = word and n.what = 'name' and strpos(words, n.text) > 0
       join person_name as p on p.person = n.person and p.name = n.text and p.is_unique
     ), hashed as (
       update acessos set cliente_id = hash
       from found join known using (client)
       where found.id = acessos.id and cliente_id is distinct from hash
       returning client, acessos.id as row
     )
     insert into person_row select client, 'acessos', row, 'key', '{}' from hashed`,
    [[...hashOf.keys()], [...hashOf.values()]],
  );
  return Boolean(rowCount);
};

/** In the caller's transaction. @returns the tables that changed, and how many persons were left out */
const eraseFrom = async (db: pg.Client, options: Options) => {
  const { kind } = options;
  const { tables: all, refused } = await findPersons(db, options);
  const ids = options.ids.filter((id) => !refused.has(id));
  const locked = await lockTables(db, kind);
  const tables = await foundTables(db);
  const hasAccesses = kind === "client" && (await hashAccesses(db, { ...options, ids }));
  for (const [table, column] of Object.entries(KINDS[kind].keys))
    if (tables.includes(table)) await db.query(eraseOwnRows(kind, table, column));
  for (const found of all) if (tables.includes(found.table)) await db.query(eraseMentions(kind, found));
  const followers = await deleteEmptySums(db, locked);
  return { changed: [...tables, ...(hasAccesses ? ["acessos"] : []), ...followers], refused };
};

/** With another key, one person would have two hashes. @throws if there are erasures of another key */
const refuseOtherKey = async (db: pg.Client, key: ErasureKey): Promise<void> => {
  const { rows } = await db.query("select key_id from erasures where key_id <> $1 limit 1", [key.id]);
  if (rows.length > 0)
    throw new Error(
      `ERASURE_KEY is the key ${key.id}, but earlier erasures used the key ${rows[0].key_id}. Set that one. Nothing was changed.`,
    );
};

/** Records the erasure of persons who are here, and what is left of them. */
const recordErasures = async (
  db: pg.Client,
  { kind, key, command }: Options,
  changed: string[],
  found: { hash: string; names: string[]; left_in: string[] }[],
): Promise<void> => {
  await db.query(
    `insert into erasures as e (kind, hash, key_id, names, left_in)
     select $1, hash, $3, names, left_in from jsonb_to_recordset($2) as found (hash text, names text[], left_in text[])
     on conflict (kind, hash) do update set left_in = excluded.left_in,
       names = array(select distinct unnest(e.names || excluded.names) order by 1)`,
    [kind, JSON.stringify(found), key.id],
  );
  await recordCommand(db, command, kind, changed);
};

/** The receipts of persons who are or were here. */
const receiptsOf = async (db: pg.Client, options: Options, refused: Set<string>): Promise<Receipt[]> => {
  const { kind, ids, returned = [], key } = options;
  const idOf = new Map(ids.map((id) => [key.hashOf(kind, id), id]));
  for (const { hash } of returned) if (!idOf.has(hash)) idOf.set(hash, hash);
  for (const [hash, id] of idOf) if (refused.has(id)) idOf.delete(hash);
  const { rows: counts } = await db.query<PersonCount>(
    "select person, in_table as place, count(distinct id)::int as count from person_row group by 1, 2 order by 1, 2",
  );
  const { rows: names } = await db.query<{ person: string; name: string }>(
    "select person, name from person_name where is_unique union select person, cpf from person_cpf where is_unique",
  );
  const by = <One extends { person: string }>(rows: One[]) => Map.groupBy(rows, ({ person }) => person);
  const [rowsOf, leftOf, namesOf] = [by(counts), by(await countLeft(db)), by(names)];
  const { rows: earlier } = await db.query<{ hash: string }>(
    "select hash from erasures where kind = $1 and hash = any($2)",
    [kind, [...idOf.keys()]],
  );
  const wasErased = new Set(earlier.map(({ hash }) => hash));
  const isKnown = ([hash, id]: [string, string]) => rowsOf.has(id) || leftOf.has(id) || wasErased.has(hash);
  const found = [...idOf].filter(isKnown).map(([hash, id]) => ({
    hash,
    id,
    names: (namesOf.get(id) ?? []).map(({ name: one }) => key.hashOf("name", one)),
    left_in: (leftOf.get(id) ?? []).map(({ place }) => place),
  }));
  const changed = found.flatMap(({ hash, id }) => (rowsOf.has(id) ? [hash] : []));
  await recordErasures(db, options, changed, found);
  const { rows: known } = await db.query<{ hash: string; erased_at: Date }>(
    "select hash, erased_at from erasures where kind = $1 and hash = any($2)",
    [kind, found.map(({ hash }) => hash)],
  );
  const erasedAt = new Map(known.map(({ hash, erased_at }) => [hash, erased_at.toISOString()]));
  return found.map(({ hash, id, names: own }) => ({
    kind,
    hash,
    names: own,
    key_id: key.id,
    erased_at: erasedAt.get(hash) ?? "",
    rows: Object.fromEntries((rowsOf.get(id) ?? []).map(({ place, count }) => [place, count])),
    left: (leftOf.get(id) ?? []).map(({ place, count }) => `left in ${place}: ${count}`),
  }));
};

/**
 * Erases persons in one transaction (A16): names and ids leave every table and rollup, money and visits stay.
 * A person who was erased before has a receipt without rows, and one who was never here has none.
 */
export const erasePersons = async (db: pg.Client, options: Options): Promise<Receipt[]> => {
  const { key, progress, report } = options;
  let [receipts, tables, refusals]: [Receipt[], string[], number] = [[], [], 0];
  await retryWhenLocked(
    db,
    () => "The erasure",
    progress,
    async () => {
      await db.query(SESSION);
      if (options.returned === undefined) await refuseOtherKey(db, key);
      const { changed, refused } = await eraseFrom(db, options);
      receipts = await receiptsOf(db, options, refused);
      [tables, refusals] = [changed, refused.size];
    },
  );
  report(receipts, refusals);
  // Old versions of rows, and statistics of columns, still have names and ids.
  const vacuum = `vacuum analyze ${tables.map(name).join()}`;
  if (tables.length > 0)
    await db.query(vacuum).catch((error: Error) => {
      throw new Error(`The erasure is done, but this failed: ${vacuum}. Run it by hand. ${error.message}`);
    });
  return receipts;
};
