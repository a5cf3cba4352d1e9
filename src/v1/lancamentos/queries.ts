import { asc, desc, eq } from "drizzle-orm";
import { cursor, one, page } from "../../db/bodies.ts";
import { afterId, byId } from "../../db/lists.ts";
import type { Summed } from "../../db/rollup.ts";
import { selectionOf } from "../../db/selection.ts";
import type { Placeholders } from "../../db/statement.ts";
import type { Db } from "../../ground/database.ts";
import { Lancamento, type LancamentoPage, type ListLancamentos } from "./schemas.ts";
import { lancamentosRollup, lancamentos as t } from "./table.ts";

export const lancamento = selectionOf(t, Lancamento, {});

const entriesOf = ({
  estabelecimento_id,
  sent_to_salon,
  ...range
}: Placeholders<ListLancamentos>): Summed => ({
  rollup: lancamentosRollup,
  filters: { estabelecimento_id, sent_to_salon },
  range,
});

const classic = page<ListLancamentos, LancamentoPage>(lancamento, (given) => ({
  order: [desc(t.id)],
  find: byId(entriesOf(given)),
}));

const byCursor = cursor<ListLancamentos & { after_id: number }, LancamentoPage>(lancamento, (given) => ({
  order: [asc(t.id)],
  ids: (limit) => afterId(entriesOf(given), given.after_id, limit),
}));

/** Classic: newest id first (L1). Cursor: ids above `after_id`, ascending (L4). The range is over `synced_at` (L2). */
export const listLancamentos = (db: Db, { after_id, ...q }: ListLancamentos) =>
  after_id === undefined ? classic(db, q) : byCursor(db, { ...q, after_id });

export const findLancamento = one<{ id: string }, Lancamento>(lancamento, ({ id }) => eq(t.salon_id, id));
