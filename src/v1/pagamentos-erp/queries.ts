import { and, asc, desc, eq, gt, gte, lte, sql } from "drizzle-orm";
import { cursor, one, page } from "../../db/bodies.ts";
import type { Db } from "../../db/connect.ts";
import { eqIf } from "../../db/filters.ts";
import { asText } from "../../db/values.ts";
import type { ListPagamentosErp, PagamentoErp, PagamentoErpPage } from "./schemas.ts";
import { pagamentosErp as t } from "./table.ts";

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

/** The calendar date an instant falls on in Brasília (L2). */
const dayInBrasilia = (instant: string) =>
  sql`(${instant}::timestamptz at time zone 'America/Sao_Paulo')::date`;

/** Classic: newest id first (L1). Cursor: ids above `after_id`, ascending (L4). */
export const listPagamentosErp = (db: Db, q: ListPagamentosErp) => {
  const where = and(
    eqIf(t.situacao, q.situacao && Number(q.situacao)),
    eqIf(t.id_centro_custo, q.id_centro_custo),
    eqIf(t.nome_conta_classificacao, q.nome_conta_classificacao),
    q.data_inicio === undefined ? undefined : gte(t.data_vencimento, dayInBrasilia(q.data_inicio)),
    q.data_fim === undefined ? undefined : lte(t.data_vencimento, dayInBrasilia(q.data_fim)),
  );
  return q.after_id === undefined
    ? page<PagamentoErpPage>(db, { table: t, columns, where, order: [desc(t.id)] }, q)
    : cursor<PagamentoErpPage>(
        db,
        { table: t, columns, where: and(where, gt(t.id, q.after_id)), order: [asc(t.id)] },
        q.per_page,
      );
};

export const findPagamentoErp = (db: Db, erpId: number) =>
  one<PagamentoErp>(db, { table: t, columns, where: eq(t.erp_id, erpId) });
