import type pg from "pg";
import { closeMonth } from "../warehouse/closings.ts";

/** The visits of a unit's last day in a month. */
const LAST_VISITS = `
  select * from transacoes where estabelecimento_id = '105' and (data_hora at time zone 'America/Sao_Paulo')::date = (
    select max((data_hora at time zone 'America/Sao_Paulo')::date) from transacoes
    where estabelecimento_id = '105' and to_char(data_hora at time zone 'America/Sao_Paulo', 'YYYY-MM') = $1)`;

/**
 * Closes the last two months that the data have passed (F2). The visits of one day arrive only after the newer one was
 * closed, as after a late synchronisation, so that the demo has a closing that still holds and one that changed.
 */
export const closeDemoMonths = async (db: pg.Client): Promise<void> => {
  const { rows } = await db.query(`
    select to_char((data_instant(now()) at time zone 'America/Sao_Paulo') - back * interval '1 month', 'YYYY-MM') as month
    from generate_series(2, 1, -1) as back`);
  const [older, newer] = rows.map(({ month }) => month);
  await closeMonth(db, older, { note: "Enviado ao contador" });
  const { rows: late } = await db.query(
    `select coalesce(json_agg(to_jsonb(late)), '[]')::text as visits from (${LAST_VISITS}) as late`,
    [newer],
  );
  const { visits } = late[0];
  await db.query(
    "delete from transacoes where id in (select id from json_populate_recordset(null::transacoes, $1))",
    [visits],
  );
  await closeMonth(db, newer);
  await db.query("insert into transacoes select * from json_populate_recordset(null::transacoes, $1)", [
    visits,
  ]);
};
