import type pg from "pg";

/** Bytes of `raw_data` in a ledger entry of about 2 KB. */
const PAYLOAD_BYTES = 1900;

/**
 * Replaces the ledger entries of a warehouse by `rows` entries of about 2 KB each: copies whose `raw_data` repeats
 * some of its own text.
 */
export const fillLedger = async (db: pg.Client, rows: number): Promise<void> => {
  await db.query(`create temp table samples as
    select row_number() over (order by id) - 1 as n, count(*) over () as total, estabelecimento_id, synced_at,
      sent_to_salon, sent_at, raw_data || jsonb_build_object('Texto', left(
        repeat(raw_data::text, 3), ${PAYLOAD_BYTES} - octet_length(raw_data::text)
      )) as raw_data
    from lancamentos
    where raw_data <> '{}'`);
  await db.query("delete from lancamentos");
  await db.query(
    `insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at, sent_to_salon, sent_at)
     select 'W' || i, estabelecimento_id, raw_data || jsonb_build_object('Id', i), synced_at, sent_to_salon, sent_at
     from generate_series(1, $1::int) as i
       join samples on n = i % total
     order by i`,
    [rows],
  );
  await db.query("vacuum analyze lancamentos");
};
