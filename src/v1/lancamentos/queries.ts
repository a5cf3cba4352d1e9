import { asc, desc, eq } from "drizzle-orm";
import { cursor, one, page } from "../../db/bodies.ts";
import type { Db } from "../../db/connect.ts";
import { afterId, byId } from "../../db/lists.ts";
import type { Summed } from "../../db/rollup.ts";
import type { Given } from "../../db/statement.ts";
import type { Lancamento, LancamentoPage, ListLancamentos } from "./schemas.ts";
import { lancamentosRollup, lancamentos as t } from "./table.ts";

const columns = {
  id: t.id,
  salon_id: t.salon_id,
  estabelecimento_id: t.estabelecimento_id,
  raw_data: t.raw_data,
  synced_at: t.synced_at,
  sent_to_salon: t.sent_to_salon,
  sent_at: t.sent_at,
};

const entriesOf = ({ estabelecimento_id, sent_to_salon, ...range }: Given<ListLancamentos>): Summed => ({
  rollup: lancamentosRollup,
  filters: { estabelecimento_id, sent_to_salon },
  range,
});

const classic = page<ListLancamentos, LancamentoPage>((given) => ({
  table: t,
  columns,
  order: [desc(t.id)],
  find: byId(entriesOf(given)),
}));

const byCursor = cursor<ListLancamentos & { after_id: number }, LancamentoPage>((given) => ({
  table: t,
  columns,
  order: [asc(t.id)],
  ids: (limit) => afterId(entriesOf(given), given.after_id, limit),
}));

/** Classic: newest id first (L1). Cursor: ids above `after_id`, ascending (L4). The range is over `synced_at` (L2). */
export const listLancamentos = (db: Db, { after_id, ...q }: ListLancamentos) =>
  after_id === undefined ? classic(db, q) : byCursor(db, { ...q, after_id });

export const findLancamento = one<{ id: string }, Lancamento>(({ id }) => ({
  table: t,
  columns,
  where: eq(t.salon_id, id),
}));
