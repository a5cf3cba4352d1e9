import { byId } from "../../../platform/db/lists.ts";
import { listWithCursor } from "../../../platform/db/pagination.ts";
import { findByKey } from "../../../platform/db/records.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import { Lancamento, type LancamentoPage, type ListLancamentos } from "./schemas.ts";
import { lancamentosRollup, lancamentos as t } from "./table.ts";

export const lancamento = selectionOf(t, Lancamento, {}, { unit: t.estabelecimento_id });

/** By page: highest id first (L1). The range filters `synced_at` (L2). */
export const listLancamentos = listWithCursor<typeof ListLancamentos, typeof LancamentoPage>(
  lancamento,
  ({ sent_to_salon, ...range }, { units }) =>
    byId(t, { rollup: lancamentosRollup, filters: { estabelecimento_id: units, sent_to_salon }, range }),
);

export const findLancamento = findByKey(lancamento, t.salon_id);
