import type pg from "pg";
import { inTransaction } from "../databases.ts";
import { KINDS, type Kind, PLACES } from "./places.ts";
import type { ErasureKey, Receipt } from "./receipts.ts";
import { literal, PREPARE, type ReturnedName, SESSION } from "./search.ts";

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
  await inTransaction(db, () => presentValues(db, kind, compare));
  return { ids, returned };
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
