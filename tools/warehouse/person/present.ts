import type pg from "pg";
import { inTransaction } from "../databases.ts";
import { KINDS, type Kind, PLACES } from "./places.ts";
import type { ErasureKey, Receipt } from "./receipts.ts";
import { literal, PREPARE, type ReturnedName } from "./search.ts";

const columnsOf = (of: Record<string, string>): string[] =>
  Object.entries(of).map(([table, column]) => `select ${column} as value from ${table}`);

/** All ids and names that the tables have now, and the names as words. */
const presentValues = async (db: pg.Client, kind: Kind): Promise<{ value: string; words: string }[]> => {
  const { keys, names, word } = KINDS[kind];
  const inPayloads = PLACES.flatMap(({ table, columns }) =>
    columns
      .filter(({ isJson }) => isJson)
      .map(({ name }) => `select pg_temp.beneath(${name}, ${literal(word)}) from ${table}`),
  );
  const accesses = kind === "client" ? ["select cliente_id from acessos"] : [];
  await db.query(`set local client_min_messages = warning; set local statement_timeout = 0; ${PREPARE}`);
  const { rows } = await db.query(
    `select distinct value, pg_temp.words(value) as words
     from (${[...columnsOf(keys), ...columnsOf(names), ...inPayloads, ...accesses].join(" union ")}) as present
     where value is not null`,
  );
  return rows;
};

/** The persons of receipts that the tables have again: by id, or by a name without the id. */
export const returnedPersons = async (db: pg.Client, kind: Kind, receipts: Receipt[], key: ErasureKey) => {
  const values = await inTransaction(db, () => presentValues(db, kind));
  const hashes = new Set(receipts.map(({ hash }) => hash));
  const hashesByName = Map.groupBy(
    receipts.flatMap(({ hash, names }) => names.map((name) => ({ hash, name }))),
    ({ name }) => name,
  );
  const returned: ReturnedName[] = values.flatMap(({ value, words }) =>
    (hashesByName.get(key.hashOf("name", words)) ?? []).map(({ hash }) => ({ hash, name: value })),
  );
  return { ids: values.map(({ value }) => value).filter((id) => hashes.has(key.hashOf(kind, id))), returned };
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
