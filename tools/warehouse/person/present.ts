import type pg from "pg";
import { KINDS, type Kind, PLACES } from "./places.ts";
import { literal, PREPARE } from "./search.ts";

const keysOf = (kind: Kind): string[] =>
  Object.entries(KINDS[kind].keys).map(([table, key]) => `select ${key} as id from ${table}`);

/** All ids that the tables have now: to hash them and compare them with receipts. */
export const presentIds = async (db: pg.Client, kind: Kind): Promise<string[]> => {
  const inPayloads = PLACES.flatMap(({ table, columns }) =>
    columns
      .filter(({ isJson }) => isJson)
      .map(({ name }) => `select pg_temp.beneath(${name}, ${literal(KINDS[kind].word)}) from ${table}`),
  );
  const accesses = kind === "client" ? ["select cliente_id from acessos"] : [];
  await db.query(PREPARE);
  const { rows } = await db.query(
    `select distinct id from (${[...keysOf(kind), ...inPayloads, ...accesses].join(" union all ")}) as present where id is not null`,
  );
  return rows.map(({ id }) => id);
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
