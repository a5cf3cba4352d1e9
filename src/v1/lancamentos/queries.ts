import { and, asc, desc, eq, gt } from "drizzle-orm";
import { count, cursor, one, page } from "../../db/bodies.ts";
import { type Db, sqlBuilder } from "../../db/connect.ts";
import { between, eqIf } from "../../db/filters.ts";
import type { Lancamento, LancamentoPage, ListLancamentos } from "./schemas.ts";
import { lancamentos as t } from "./table.ts";

const columns = {
  id: t.id,
  salon_id: t.salon_id,
  estabelecimento_id: t.estabelecimento_id,
  raw_data: t.raw_data,
  synced_at: t.synced_at,
  sent_to_salon: t.sent_to_salon,
  sent_at: t.sent_at,
};

/** Classic: newest id first (L1). Cursor: ids above `after_id`, ascending (L4). The range is over `synced_at` (L2). */
export const listLancamentos = (db: Db, q: ListLancamentos) => {
  const where = and(
    eqIf(t.estabelecimento_id, q.estabelecimento_id),
    eqIf(t.sent_to_salon, q.sent_to_salon),
    between(t.synced_at, q),
  );
  const rows = sqlBuilder.select(columns).from(t);
  return q.after_id === undefined
    ? page<LancamentoPage>(db, { rows: rows.where(where).orderBy(desc(t.id)), count: count(t, where), ...q })
    : cursor<LancamentoPage>(db, {
        rows: rows.where(and(where, gt(t.id, q.after_id))).orderBy(asc(t.id)),
        ...q,
      });
};

export const findLancamento = (db: Db, salonId: string) =>
  one<Lancamento>(db, sqlBuilder.select(columns).from(t).where(eq(t.salon_id, salonId)));
