import { sql } from "drizzle-orm";
import { anyOf } from "../../db/any-of.ts";
import { listByPageOrCursor } from "../../db/pages.ts";
import { findByKey } from "../../db/records.ts";
import { NO_UNITS } from "../../db/scope.ts";
import { selectionOf } from "../../db/selection.ts";
import { type ListPagamentosErp, PagamentoErp, type PagamentoErpPage } from "./schemas.ts";
import { pagamentosErpRollup, pagamentosErp as t } from "./table.ts";

export const pagamento = selectionOf(t, PagamentoErp, { pago: sql`${t.situacao} = 2` }, { unit: NO_UNITS });

/** The range filters `data_vencimento`, by calendar date in Brasília (L2). */
export const listPagamentosErp = listByPageOrCursor<typeof ListPagamentosErp, typeof PagamentoErpPage>(
  pagamento,
  ({ situacao, id_centro_custo, nome_conta_classificacao, ...range }) => ({
    rollup: pagamentosErpRollup,
    filters: {
      estabelecimento_id: NO_UNITS,
      situacao,
      id_centro_custo,
      nome_conta_classificacao: anyOf(nome_conta_classificacao),
    },
    range,
    isDateColumn: true,
  }),
);

export const findPagamentoErp = findByKey(pagamento, t.erp_id);
