import { and, asc, desc, eq, gt } from "drizzle-orm";
import { cursor, one, page } from "../../db/bodies.ts";
import type { Db } from "../../db/connect.ts";
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
  return q.after_id === undefined
    ? page<LancamentoPage>(db, { table: t, columns, where, order: [desc(t.id)] }, q)
    : cursor<LancamentoPage>(
        db,
        { table: t, columns, where: and(where, gt(t.id, q.after_id)), order: [asc(t.id)] },
        q.per_page,
      );
};

export const findLancamento = (db: Db, salonId: string) =>
  one<Lancamento>(db, { table: t, columns, where: eq(t.salon_id, salonId) });
