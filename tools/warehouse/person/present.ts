import pg from "pg";
import { inTransaction } from "../databases.ts";
import { textTables } from "./catalogue.ts";
import { PREPARE } from "./functions.ts";
import { KINDS, type Kind, PLACES } from "./places.ts";
import { columnOf, type ErasureKey, type Receipt } from "./receipts.ts";
import { literal, type ReturnedName, SESSION } from "./search.ts";

const columnsOf = (of: Record<string, string>): string[] =>
  Object.entries(of).map(([table, column]) => `select ${column} as value from ${table}`);

const BATCH = 5000;

interface Present {
  value: string;
  words: string;
}

/** Passes on all ids and names that the tables have now, and the names as words, in batches. */
const presentValues = async (db: pg.Client, kind: Kind, use: (batch: Present[]) => void): Promise<void> => {
  const { keys, names, word } = KINDS[kind];
  const inPayloads = PLACES.flatMap(({ table, columns }) =>
    columns
      .filter(({ isJson }) => isJson)
      .map(({ name }) => `select pg_temp.beneath(${name}, ${literal(word)}) from ${table}`),
  );
  const accesses =
    kind === "client"
      ? [
          "select unnest(array[cliente_id, btrim(cliente_id), lower(btrim(cliente_id)), upper(btrim(cliente_id))]) from acessos",
        ]
      : [];
  await db.query(`${SESSION}; ${PREPARE}`);
  await db.query(
    `declare present no scroll cursor for
     select distinct value, pg_temp.words(value) as words
     from (${[...columnsOf(keys), ...columnsOf(names), ...inPayloads, ...accesses].join(" union ")}) as present
     where value is not null`,
  );
  let batch: Present[];
  do {
    batch = (await db.query<Present>(`fetch ${BATCH} from present`)).rows;
    use(batch);
  } while (batch.length === BATCH);
};

/** How many words of a name are looked for in a column with other text. */
const MAX_WORDS = 8;

/** What an erasure left, and in which columns. */
interface Remains {
  hash: string;
  names: string[];
  left_in: string[];
}

/** Every run of words in a text, as a name is hashed, and its numbers of eleven digits. */
const runsOf = (words: string): string[] => {
  const all = words.trim().split(" ");
  return all.flatMap((_, start) =>
    Array.from({ length: Math.min(MAX_WORDS, all.length - start) }, (_, n) =>
      all.slice(start, start + n + 1),
    ).map((run) => (/^\d{11}$/.test(run.join("")) ? run.join("") : ` ${run.join(" ")} `)),
  );
};

/** Looks for the hashes of ids, names and CPFs in the columns in which an erasure left something. Call it in a transaction. */
export const remains = async (db: pg.Client, kind: Kind, of: Remains[], key: ErasureKey) => {
  const hashes = new Set(of.map(({ hash }) => hash));
  const ids = new Set<string>();
  const returned: ReturnedName[] = [];
  const columns = new Set(of.flatMap(({ left_in }) => left_in));
  if (columns.size > 0) await db.query(PREPARE);
  for (const { table, columns: present } of await textTables(db))
    for (const { name } of present.filter((column) => columns.has(`${table}.${column.name}`))) {
      const { rows } = await db.query<Present & { members: string[] }>(
        `select value, pg_temp.text_words(value) as words, regexp_split_to_array(value, '[][(){},;:|/=''"[:space:]]+') as members
         from (select distinct ${pg.escapeIdentifier(name)}::text as value from ${table}) as present where value is not null`,
      );
      for (const { words, value, members } of rows) {
        for (const id of [value, ...members]) if (hashes.has(key.hashOf(kind, id))) ids.add(id);
        for (const run of new Set(runsOf(words))) {
          const hash = key.hashOf("name", run);
          returned.push(
            ...of.filter(({ names }) => names.includes(hash)).map((one) => ({ hash: one.hash, name: run })),
          );
        }
      }
    }
  return { ids: [...ids], returned };
};

/** The persons of receipts that the tables have again: by id, or by a name without the id. */
export const returnedPersons = async (db: pg.Client, kind: Kind, receipts: Receipt[], key: ErasureKey) => {
  const hashes = new Set(receipts.map(({ hash }) => hash));
  const hashesByName = Map.groupBy(
    receipts.flatMap(({ hash, names }) => names.map((name) => ({ hash, name }))),
    ({ name }) => name,
  );
  const returned: ReturnedName[] = [];
  const ids: string[] = [];
  const compare = (batch: Present[]) => {
    for (const { value, words } of batch) {
      if (hashes.has(key.hashOf(kind, value))) ids.push(value);
      const named = hashesByName.get(key.hashOf("name", words)) ?? [];
      returned.push(...named.map(({ hash }) => ({ hash, name: value })));
    }
  };
  const left = receipts.map((one) => ({ ...one, left_in: one.left.flatMap((line) => columnOf(line) ?? []) }));
  await inTransaction(db, async () => {
    await presentValues(db, kind, compare);
    const more = await remains(db, kind, left, key);
    ids.push(...more.ids);
    returned.push(...more.returned);
  });
  return { ids: [...new Set(ids)], returned };
};

/** The clients whose last visit or purchase is older. A client of whom no date is known stays. */
export const inactiveClients = async (
  db: pg.Client,
  years: number,
): Promise<{ id: string; last: string }[]> => {
  const visits = Object.entries(KINDS.client.keys).map(
    ([table, key]) => `select ${key} as id, data_hora from ${table}`,
  );
  const { rows } = await db.query(
    `select id, max(data_hora)::date::text as last from (${visits.join(" union all ")}) as visit
     where id is not null
     group by id
     having max(data_hora) < now() - make_interval(years => $1)
     order by 2, 1`,
    [years],
  );
  return rows;
};
