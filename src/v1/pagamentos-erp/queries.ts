import { asc, desc, eq, sql } from "drizzle-orm";
import { cursor, one, page } from "../../db/bodies.ts";
import { afterId, byId } from "../../db/lists.ts";
import type { Summed } from "../../db/rollup.ts";
import { selectionOf } from "../../db/selection.ts";
import type { Placeholders } from "../../db/statement.ts";
import type { Db } from "../../ground/database.ts";
import { type ListPagamentosErp, PagamentoErp, type PagamentoErpPage } from "./schemas.ts";
import { pagamentosErpRollup, pagamentosErp as t } from "./table.ts";

export const pagamento = selectionOf(t, PagamentoErp, { pago: sql`${t.situacao} = 2` });

const paymentsOf = (given: Placeholders<ListPagamentosErp>): Summed => {
  const { situacao, id_centro_custo, nome_conta_classificacao, ...range } = given;
  const filters = { situacao, id_centro_custo, nome_conta_classificacao };
  return { rollup: pagamentosErpRollup, filters, range, dates: true };
};

const classic = page<ListPagamentosErp, PagamentoErpPage>(pagamento, (given) => ({
  order: [desc(t.id)],
  find: byId(paymentsOf(given)),
}));

const byCursor = cursor<ListPagamentosErp & { after_id: number }, PagamentoErpPage>(pagamento, (given) => ({
  order: [asc(t.id)],
  ids: (limit) => afterId(paymentsOf(given), given.after_id, limit),
}));

/**
 * Classic: newest id first (L1). Cursor: ids above `after_id`, ascending (L4). The range is over `data_vencimento`,
 * by calendar dates in Brasília (L2).
 */
export const listPagamentosErp = (db: Db, { after_id, ...q }: ListPagamentosErp) =>
  after_id === undefined ? classic(db, q) : byCursor(db, { ...q, after_id });

export const findPagamentoErp = one<{ id: number }, PagamentoErp>(pagamento, ({ id }) => eq(t.erp_id, id));
