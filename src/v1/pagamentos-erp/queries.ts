import { sql } from "drizzle-orm";
import { one, pageOrCursor } from "../../db/bodies.ts";
import { selectionOf } from "../../db/selection.ts";
import { type ListPagamentosErp, PagamentoErp, type PagamentoErpPage } from "./schemas.ts";
import { pagamentosErpRollup, pagamentosErp as t } from "./table.ts";

export const pagamento = selectionOf(t, PagamentoErp, { pago: sql`${t.situacao} = 2` });

/** The range is over `data_vencimento`, by calendar dates in Brasília (L2). */
export const listPagamentosErp = pageOrCursor<typeof ListPagamentosErp, typeof PagamentoErpPage>(
  pagamento,
  ({ situacao, id_centro_custo, nome_conta_classificacao, ...range }) => ({
    rollup: pagamentosErpRollup,
    filters: { situacao, id_centro_custo, nome_conta_classificacao },
    range,
    dates: true,
  }),
);

export const findPagamentoErp = one(pagamento, t.erp_id);
