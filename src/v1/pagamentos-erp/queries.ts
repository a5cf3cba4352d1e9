import { asc, desc, eq, sql } from "drizzle-orm";
import { cursor, one, page } from "../../db/bodies.ts";
import type { Db } from "../../db/connect.ts";
import { afterId, byId } from "../../db/lists.ts";
import type { Summed } from "../../db/rollup.ts";
import type { Given } from "../../db/statement.ts";
import { asText } from "../../db/values.ts";
import type { ListPagamentosErp, PagamentoErp, PagamentoErpPage } from "./schemas.ts";
import { pagamentosErpRollup, pagamentosErp as t } from "./table.ts";

const columns = {
  id: t.id,
  erp_id: t.erp_id,
  id_centro_custo: t.id_centro_custo,
  situacao: t.situacao,
  pago: sql`${t.situacao} = 2`,
  nome_conta_classificacao: t.nome_conta_classificacao,
  id_plano_conta_classificacao: t.id_plano_conta_classificacao,
  valor: asText(t.valor),
  data_vencimento: t.data_vencimento,
  data_pagamento: t.data_pagamento,
  descricao: t.descricao,
  raw_data: t.raw_data,
  synced_at: t.synced_at,
  updated_at: t.updated_at,
};

const paymentsOf = (given: Given<ListPagamentosErp>): Summed => {
  const { situacao, id_centro_custo, nome_conta_classificacao, ...range } = given;
  const filters = { situacao, id_centro_custo, nome_conta_classificacao };
  return { rollup: pagamentosErpRollup, filters, range, dates: true };
};

const classic = page<ListPagamentosErp, PagamentoErpPage>((given) => ({
  table: t,
  columns,
  order: [desc(t.id)],
  find: byId(paymentsOf(given)),
}));

const byCursor = cursor<ListPagamentosErp & { after_id: number }, PagamentoErpPage>((given) => ({
  table: t,
  columns,
  order: [asc(t.id)],
  ids: (limit) => afterId(paymentsOf(given), given.after_id, limit),
}));

/**
 * Classic: newest id first (L1). Cursor: ids above `after_id`, ascending (L4). The range is over `data_vencimento`,
 * by calendar dates in Brasília (L2).
 */
export const listPagamentosErp = (db: Db, { after_id, ...q }: ListPagamentosErp) =>
  after_id === undefined ? classic(db, q) : byCursor(db, { ...q, after_id });

export const findPagamentoErp = one<{ id: number }, PagamentoErp>(({ id }) => ({
  table: t,
  columns,
  where: eq(t.erp_id, id),
}));
