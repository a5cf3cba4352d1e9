import type pg from "pg";
import { recordCommand } from "../../changes.ts";
import { accessesOf } from "../client-reads.ts";
import { inTransaction } from "../databases.ts";
import { KINDS, type Kind, PLACES } from "./places.ts";
import type { ErasureKey } from "./receipts.ts";
import { findRows, literal, SESSION } from "./search.ts";

/** A professional's export has no clients. Of a visit, it has only the professional's own services. */
const rowOf = (kind: Kind, table: string): string => {
  if (kind === "client") return `to_jsonb(${table})`;
  if (table !== "transacoes")
    return `pg_temp.without_person(to_jsonb(${table}), row('client', '{}', '{}', '{}', '{}', '{}', '{}', true)::pg_temp.traces)`;
  const services = PLACES.flatMap((place) => place.columns).find(({ name }) => name === "servicos");
  return `jsonb_build_object('id', id, 'salon_id', salon_id, 'estabelecimento_id', estabelecimento_id, 'data_hora', data_hora,
    'servicos', (select jsonb_agg(service) from jsonb_array_elements(${services?.mask}) as service
      where service ->> 'idProfissionalQueRealizouServico' in (select id from person)))`;
};

/** Rows that concern the person. Rows of others that only mention the person are not among them. */
const concerns = (kind: Kind, table: string): string =>
  KINDS[kind].keys[table] === undefined ? "how in ('id', 'visit')" : "how = 'key'";

/** The accesses to the client's data: when and what, but not by whom. Readers are persons, too. */
const ACCESSES = `select 'acessos' as in_table, jsonb_agg(jsonb_build_object(
    'at', at, 'route', route, 'record_id', record_id, 'row_count', row_count, 'csv', csv, 'change', change) order by id) as found
  from acessos where id in (select id from (${accessesOf("select unnest($3::text[]) as client")}) as of_client)`;

const documentOf = (kind: Kind): string => {
  const tables = [...new Set([...Object.keys(KINDS[kind].keys), ...PLACES.map(({ table }) => table)])];
  const rows = tables.map(
    (
      table,
    ) => `select ${literal(table)} as in_table, jsonb_agg(${rowOf(kind, table)} order by id) as found from ${table}
      where id in (select id from person_row where in_table = ${literal(table)} and ${concerns(kind, table)})`,
  );
  const others = tables.map(
    (table) => `select in_table, id from person_row where in_table = ${literal(table)} except
      select in_table, id from person_row where in_table = ${literal(table)} and ${concerns(kind, table)}`,
  );
  return `
    with found as (${[...rows, ...(kind === "client" ? [ACCESSES] : [])].join(" union all ")}),
      others as (${others.map((select) => `(${select})`).join(" union all ")})
    select jsonb_pretty(jsonb_build_object('kind', $1::text, 'id', $2::text, 'exported_at', now(),
      'rows', (select jsonb_object_agg(in_table, found) from found where found is not null),
      'mentioned_in_rows_of_others', (select coalesce(jsonb_agg(to_jsonb(others) order by in_table, id), '[]') from others)
    )) as document
    where exists (select from found where found is not null)`;
};

/**
 * Records the export, too (A15).
 * @param key without it, the record does not say whose data it was
 * @returns the person's data as JSON with every digit; undefined if no row has the id
 */
export const exportPerson = (
  db: pg.Client,
  kind: Kind,
  id: string,
  key?: ErasureKey,
): Promise<string | undefined> =>
  inTransaction(db, async () => {
    await db.query(SESSION);
    await findRows(db, kind, [id]);
    const { rows } = await db.query<{ document: string }>(documentOf(kind), [
      kind,
      id,
      ...(kind === "client" ? [key ? [id, key.hashOf(kind, id)] : [id]] : []),
    ]);
    if (rows.length > 0) await recordCommand(db, "person export", kind, [key?.hashOf(kind, id)]);
    return rows[0]?.document;
  });
